--
-- PostgreSQL database dump
--


-- Dumped from database version 18.4
-- Dumped by pg_dump version 18.4

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: admissions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.admissions (
    shop bigint NOT NULL,
    subject text NOT NULL,
    seq bigint NOT NULL,
    admitted_at bigint NOT NULL
);


--
-- Name: api_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_keys (
    key_id text NOT NULL,
    shop bigint NOT NULL,
    hash bytea NOT NULL,
    last_four text NOT NULL,
    label text NOT NULL,
    created_at bigint NOT NULL,
    revoked_at bigint
);


--
-- Name: changes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.changes (
    shop bigint NOT NULL,
    invite_id bytea NOT NULL,
    seq bigint NOT NULL,
    state text NOT NULL,
    reason text NOT NULL,
    changed_at bigint NOT NULL,
    reply text
);


--
-- Name: day_tallies; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.day_tallies (
    shop bigint NOT NULL,
    subject text NOT NULL,
    day bigint NOT NULL,
    counted bigint NOT NULL
);


--
-- Name: domains; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.domains (
    shop bigint NOT NULL,
    host text NOT NULL,
    token text NOT NULL,
    added_at bigint NOT NULL,
    verified_at bigint,
    vouched bigint NOT NULL,
    checked_at bigint,
    missing_since bigint,
    lost_at bigint,
    reason text NOT NULL
);


--
-- Name: hosts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.hosts (
    host text NOT NULL,
    fence bigint NOT NULL,
    ahead bigint,
    horizon bigint
);


--
-- Name: invitations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.invitations (
    shop bigint NOT NULL,
    invite_id bytea NOT NULL,
    address_hash bytea NOT NULL,
    sealed_address bytea,
    order_number text,
    language text NOT NULL,
    reported_at bigint NOT NULL,
    scheduled_for bigint NOT NULL,
    due_at bigint NOT NULL,
    state text NOT NULL,
    reason text NOT NULL,
    changed_at bigint NOT NULL,
    reply text,
    attempts bigint NOT NULL,
    first_tried_at bigint,
    claim_token bytea,
    lease_until bigint,
    by_snippet bigint DEFAULT 0 NOT NULL
);


--
-- Name: key_ring; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.key_ring (
    id bigint NOT NULL,
    sealed bytea NOT NULL,
    CONSTRAINT key_ring_id_check CHECK ((id = 1))
);


--
-- Name: orders; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.orders (
    shop bigint NOT NULL,
    dedup_hash bytea NOT NULL,
    invite_id bytea NOT NULL,
    first_reported_at bigint NOT NULL
);


--
-- Name: review_changes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.review_changes (
    shop bigint NOT NULL,
    review_id bytea NOT NULL,
    seq bigint NOT NULL,
    act text NOT NULL,
    state text NOT NULL,
    hidden_for text,
    changed_at bigint NOT NULL
);


--
-- Name: review_figures; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.review_figures (
    shop bigint NOT NULL,
    span text NOT NULL,
    first_day bigint NOT NULL,
    ones bigint NOT NULL,
    twos bigint NOT NULL,
    threes bigint NOT NULL,
    fours bigint NOT NULL,
    fives bigint NOT NULL
);


--
-- Name: reviewinvite_migrations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.reviewinvite_migrations (
    name text NOT NULL
);


--
-- Name: reviews; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.reviews (
    shop bigint NOT NULL,
    review_id bytea NOT NULL,
    invite_id bytea NOT NULL,
    rating bigint,
    text text,
    author text,
    language text NOT NULL,
    written_at bigint NOT NULL,
    edited_at bigint,
    changed_at bigint NOT NULL,
    state text NOT NULL,
    hidden_for text,
    reply text,
    replied_at bigint,
    act text NOT NULL,
    revision bigint NOT NULL
);
ALTER TABLE ONLY public.reviews ALTER COLUMN text SET STATISTICS 0;
ALTER TABLE ONLY public.reviews ALTER COLUMN author SET STATISTICS 0;
ALTER TABLE ONLY public.reviews ALTER COLUMN reply SET STATISTICS 0;


--
-- Name: shops; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.shops (
    number bigint NOT NULL,
    site_id text NOT NULL,
    name text NOT NULL,
    language text NOT NULL,
    delay_ms bigint NOT NULL,
    active bigint NOT NULL,
    reply_to text,
    trust_mark text DEFAULT 'absent'::text NOT NULL,
    badge_theme text DEFAULT 'auto'::text NOT NULL,
    badge_size text DEFAULT 'medium'::text NOT NULL,
    badge_language text
);


--
-- Name: signing_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.signing_keys (
    key_id text NOT NULL,
    public_key bytea NOT NULL,
    sealed_seed bytea,
    state text NOT NULL,
    announced_at bigint NOT NULL,
    signing_since bigint,
    ended_at bigint
);


--
-- Name: suppressions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.suppressions (
    shop bigint NOT NULL,
    address_hash bytea NOT NULL,
    origin text NOT NULL,
    suppressed_at bigint NOT NULL
);


--
-- Name: suppressions_everywhere; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.suppressions_everywhere (
    address_hash bytea NOT NULL,
    origin text NOT NULL,
    suppressed_at bigint NOT NULL
);


--
-- Data for Name: admissions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.admissions VALUES (1, 'orders:key_213d3d9f6cdc5ec7', 1, 1764997622120000);
INSERT INTO public.admissions VALUES (1, 'orders:key_213d3d9f6cdc5ec7', 2, 1764997622120000);
INSERT INTO public.admissions VALUES (0, 'snippets:d9069818aabd59d5381a6b4604fbca3d', 1, 1764997622120000);


--
-- Data for Name: api_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.api_keys VALUES ('key_213d3d9f6cdc5ec7', 1, '\xfdab3e7fd8d52531aba823387c4536b597dfd7df14b0b0d7d4472f05c6b3a269', 'JCxE', 'web shop', 1730710860120000, NULL);
INSERT INTO public.api_keys VALUES ('key_34c638e27777ae06', 2, '\xf397089414cff9dead4f09fe2d031ec6a21316e09ee2855402662dc63d5e1bd6', 'nCpN', '', 1730710860120000, NULL);
INSERT INTO public.api_keys VALUES ('key_2e68197bac7eff7f', 3, '\x1abb663747be85fa420dcf4305714a0cedfc1055b85c724cb74b59a37cfed64c', 'J6Er', 'Kassa № 1', 1730710860120000, NULL);
INSERT INTO public.api_keys VALUES ('key_65bfdd8ed2cfe47c', 1, '\x9eb2c79079845b9da6a80d55fc2d9507cc2dc9d3d948ee3460aeb796b8957d54', 'l0xA', 'lost laptop', 1730710860120000, 1730714460120000);


--
-- Data for Name: changes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.changes VALUES (1, '\x0192f69edfd87270aa670f6008df48ca', 1, 'claimed', 'claimed', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd874f085f69a4fc64bdf39', 1, 'claimed', 'claimed', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87522830f7362bbffb002', 1, 'claimed', 'claimed', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87673849d104ac41dfdcc', 1, 'claimed', 'claimed', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87270aa670f6008df48ca', 2, 'handing_over', 'fenced', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87270aa670f6008df48ca', 3, 'uncertain', 'answer_lost', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd874f085f69a4fc64bdf39', 2, 'handing_over', 'fenced', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd874f085f69a4fc64bdf39', 3, 'sent', 'accepted', 1730714460120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x0192f69edfd876f38b229fa11a4b9236', 1, 'claimed', 'claimed', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd876f9a9c3d63303963a92', 1, 'claimed', 'claimed', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87522830f7362bbffb002', 2, 'cancelled', 'erased', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87673849d104ac41dfdcc', 2, 'scheduled', 'unreachable', 1730714460120000, 'ConnectionRefusedError');
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87a92837a34a5cfd8da5b', 1, 'claimed', 'claimed', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87ce8ad9f5ba2d7125bc9', 1, 'claimed', 'claimed', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd876f38b229fa11a4b9236', 2, 'scheduled', 'refused_for_now', 1730714460120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f69edfd876f9a9c3d63303963a92', 2, 'handing_over', 'fenced', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd876f9a9c3d63303963a92', 3, 'uncertain', 'answer_lost', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87d44b0762bba6d04a618', 1, 'claimed', 'claimed', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87ddd8819cd2653c979fc', 1, 'claimed', 'claimed', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87a92837a34a5cfd8da5b', 2, 'handing_over', 'fenced', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87a92837a34a5cfd8da5b', 3, 'rejected', 'refused', 1730714460120000, '550 5.1.1');
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87ce8ad9f5ba2d7125bc9', 2, 'handing_over', 'fenced', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87ce8ad9f5ba2d7125bc9', 3, 'scheduled', 'refused_for_now', 1730714460120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87f9e89b0d898a2463346', 1, 'claimed', 'claimed', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87ff6816f057841181b4f', 1, 'claimed', 'claimed', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87d44b0762bba6d04a618', 2, 'rejected', 'refused', 1730714460120000, '550 5.1.1');
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87ddd8819cd2653c979fc', 2, 'suppressed', 'opted_out', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (2, '\x0192f69edfd877568757f65a182808d7', 1, 'claimed', 'claimed', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87f9e89b0d898a2463346', 2, 'handing_over', 'fenced', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87f9e89b0d898a2463346', 3, 'uncertain', 'answer_lost', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87ff6816f057841181b4f', 2, 'handing_over', 'fenced', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87ff6816f057841181b4f', 3, 'uncertain', 'answer_lost', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (2, '\x0192f69edfd877568757f65a182808d7', 2, 'handing_over', 'fenced', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (2, '\x0192f69edfd877568757f65a182808d7', 3, 'sent', 'accepted', 1730714460120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87270aa670f6008df48ca', 4, 'sent', 'operator', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87f9e89b0d898a2463346', 4, 'scheduled', 'operator', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87ff6816f057841181b4f', 4, 'sent', 'link_opened', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87f9e89b0d898a2463346', 5, 'claimed', 'claimed', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (2, '\x0192f69edfd8709c908a794a750e727f', 1, 'claimed', 'claimed', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87f9e89b0d898a2463346', 6, 'handing_over', 'fenced', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87f9e89b0d898a2463346', 7, 'sent', 'accepted', 1730714460120000, '250 2.0.0');
INSERT INTO public.changes VALUES (2, '\x0192f69edfd8709c908a794a750e727f', 2, 'cancelled', 'cancelled', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (2, '\x0192f69edfd87f6c911fed8523902e17', 1, 'claimed', 'claimed', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (2, '\x0192f69edfd87f6c911fed8523902e17', 2, 'scheduled', 'shop_inactive', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (2, '\x0192f69edfd87180af96bb2c2a3d870e', 1, 'claimed', 'claimed', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (2, '\x0192f69edfd87f6c911fed8523902e17', 3, 'claimed', 'claimed', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (2, '\x0192f69edfd87180af96bb2c2a3d870e', 2, 'scheduled', 'shutdown', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (2, '\x0192f69edfd87f6c911fed8523902e17', 4, 'scheduled', 'shutdown', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd872528ca4b33b86d58287', 1, 'claimed', 'claimed', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (2, '\x0192f69edfd87180af96bb2c2a3d870e', 3, 'claimed', 'claimed', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (2, '\x0192f69edfd87f6c911fed8523902e17', 5, 'claimed', 'claimed', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd872528ca4b33b86d58287', 2, 'scheduled', 'fault', 1730714460120000, 'LookupError');
INSERT INTO public.changes VALUES (2, '\x0192f69edfd87180af96bb2c2a3d870e', 4, 'handing_over', 'fenced', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (2, '\x0192f69edfd87180af96bb2c2a3d870e', 5, 'sent', 'accepted', 1730714460120000, '250 2.0.0');
INSERT INTO public.changes VALUES (2, '\x0192f69edfd87f6c911fed8523902e17', 6, 'handing_over', 'fenced', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (2, '\x0192f69edfd87f6c911fed8523902e17', 7, 'sent', 'accepted', 1730714460120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87ee38627f128616a5d33', 1, 'claimed', 'claimed', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87ee38627f128616a5d33', 2, 'handing_over', 'fenced', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87ee38627f128616a5d33', 3, 'scheduled', 'mark_unwritten', 1730714460120000, 'MarkUnwritten');
INSERT INTO public.changes VALUES (1, '\x0192f69edfd876c494648f43abd1334a', 1, 'claimed', 'claimed', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd876c494648f43abd1334a', 2, 'handing_over', 'fenced', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd876c494648f43abd1334a', 3, 'scheduled', 'fault', 1730714460120000, 'LookupError');
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87b6ca5aadfddf755726f', 1, 'claimed', 'claimed', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd876edbf9722828f69b3ad', 1, 'claimed', 'claimed', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd876edbf9722828f69b3ad', 2, 'handing_over', 'fenced', 1730714460120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd876edbf9722828f69b3ad', 3, 'uncertain', 'process_died', 1730718060120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87b6ca5aadfddf755726f', 2, 'scheduled', 'lease_expired', 1730718060120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87b6ca5aadfddf755726f', 3, 'claimed', 'claimed', 1730718060120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd876c494648f43abd1334a', 4, 'claimed', 'claimed', 1730718060120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87ce8ad9f5ba2d7125bc9', 4, 'claimed', 'claimed', 1730718060120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87673849d104ac41dfdcc', 3, 'claimed', 'claimed', 1730718060120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87b6ca5aadfddf755726f', 4, 'handing_over', 'fenced', 1730718060120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87b6ca5aadfddf755726f', 5, 'sent', 'accepted', 1730718060120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x0192f69edfd876c494648f43abd1334a', 5, 'handing_over', 'fenced', 1730718060120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd876c494648f43abd1334a', 6, 'sent', 'accepted', 1730718060120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x0192f69edfd872528ca4b33b86d58287', 3, 'claimed', 'claimed', 1730718060120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd876f38b229fa11a4b9236', 3, 'claimed', 'claimed', 1730718060120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87ce8ad9f5ba2d7125bc9', 5, 'handing_over', 'fenced', 1730718060120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87ce8ad9f5ba2d7125bc9', 6, 'sent', 'accepted', 1730718060120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87673849d104ac41dfdcc', 4, 'handing_over', 'fenced', 1730718060120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87673849d104ac41dfdcc', 5, 'sent', 'accepted', 1730718060120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87ee38627f128616a5d33', 4, 'claimed', 'claimed', 1730718060120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd872528ca4b33b86d58287', 4, 'handing_over', 'fenced', 1730718060120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd872528ca4b33b86d58287', 5, 'sent', 'accepted', 1730718060120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x0192f69edfd876f38b229fa11a4b9236', 4, 'handing_over', 'fenced', 1730718060120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd876f38b229fa11a4b9236', 5, 'sent', 'accepted', 1730718060120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87ee38627f128616a5d33', 5, 'handing_over', 'fenced', 1730718060120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f69edfd87ee38627f128616a5d33', 6, 'sent', 'accepted', 1730718060120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x0192f6d5ce587de2989dd00a23c048b6', 1, 'claimed', 'claimed', 1730718060120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f6d5ce587de2989dd00a23c048b6', 2, 'handing_over', 'fenced', 1730718060120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f6d5ce587de2989dd00a23c048b6', 3, 'uncertain', 'process_died', 1730718961120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f6d5ce587de2989dd00a23c048b6', 4, 'sent', 'accepted', 1730718961120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x0192f6e38de07fdab0c7f34030adca6d', 1, 'claimed', 'claimed', 1730718961120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f6e38de07fdab0c7f34030adca6d', 2, 'handing_over', 'fenced', 1730718961120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f6e38de07fdab0c7f34030adca6d', 3, 'uncertain', 'process_died', 1730719862120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f6e38de07fdab0c7f34030adca6d', 4, 'rejected', 'refused', 1730719862120000, '550 5.1.1');
INSERT INTO public.changes VALUES (1, '\x0192f6f14d687ab6a8cb25c97fcb3841', 1, 'claimed', 'claimed', 1730719862120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f6f14d687ab6a8cb25c97fcb3841', 2, 'handing_over', 'fenced', 1730719862120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f6f14d687ab6a8cb25c97fcb3841', 3, 'uncertain', 'process_died', 1730720763120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f6f14d687ab6a8cb25c97fcb3841', 4, 'scheduled', 'refused_for_now', 1730720763120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f6f14d687ab6a8cb25c97fcb3841', 5, 'claimed', 'claimed', 1730724363120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f6f14d687ab6a8cb25c97fcb3841', 6, 'handing_over', 'fenced', 1730724363120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f6f14d687ab6a8cb25c97fcb3841', 7, 'sent', 'accepted', 1730724363120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 1, 'claimed', 'claimed', 1730724363120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 1, 'claimed', 'claimed', 1730724363120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 1, 'claimed', 'claimed', 1730724363120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 2, 'handing_over', 'fenced', 1730724363120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 3, 'scheduled', 'refused_for_now', 1730724363120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 2, 'handing_over', 'fenced', 1730724363120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 3, 'scheduled', 'refused_for_now', 1730724363120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 2, 'scheduled', 'refused_for_now', 1730724363120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 4, 'claimed', 'claimed', 1730738763120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 4, 'claimed', 'claimed', 1730738763120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 3, 'claimed', 'claimed', 1730738763120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 5, 'handing_over', 'fenced', 1730738763120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 6, 'scheduled', 'refused_for_now', 1730738763120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 5, 'handing_over', 'fenced', 1730738763120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 6, 'scheduled', 'refused_for_now', 1730738763120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 4, 'scheduled', 'refused_for_now', 1730738763120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 5, 'claimed', 'claimed', 1730753163120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 7, 'claimed', 'claimed', 1730753163120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 7, 'claimed', 'claimed', 1730753163120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 6, 'scheduled', 'refused_for_now', 1730753163120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 8, 'handing_over', 'fenced', 1730753163120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 9, 'scheduled', 'refused_for_now', 1730753163120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 8, 'handing_over', 'fenced', 1730753163120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 9, 'scheduled', 'refused_for_now', 1730753163120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 10, 'claimed', 'claimed', 1730767563120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 7, 'claimed', 'claimed', 1730767563120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 10, 'claimed', 'claimed', 1730767563120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 11, 'handing_over', 'fenced', 1730767563120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 12, 'scheduled', 'refused_for_now', 1730767563120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 8, 'scheduled', 'refused_for_now', 1730767563120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 11, 'handing_over', 'fenced', 1730767563120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 12, 'scheduled', 'refused_for_now', 1730767563120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 13, 'claimed', 'claimed', 1730781963120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 9, 'claimed', 'claimed', 1730781963120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 13, 'claimed', 'claimed', 1730781963120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 14, 'handing_over', 'fenced', 1730781963120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 15, 'scheduled', 'refused_for_now', 1730781963120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 10, 'scheduled', 'refused_for_now', 1730781963120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 14, 'handing_over', 'fenced', 1730781963120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 15, 'scheduled', 'refused_for_now', 1730781963120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 11, 'claimed', 'claimed', 1730796363120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 16, 'claimed', 'claimed', 1730796363120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 16, 'claimed', 'claimed', 1730796363120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 12, 'scheduled', 'refused_for_now', 1730796363120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 17, 'handing_over', 'fenced', 1730796363120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 18, 'scheduled', 'refused_for_now', 1730796363120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 17, 'handing_over', 'fenced', 1730796363120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 18, 'scheduled', 'refused_for_now', 1730796363120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 13, 'claimed', 'claimed', 1730810763120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 19, 'claimed', 'claimed', 1730810763120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 19, 'claimed', 'claimed', 1730810763120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 14, 'scheduled', 'refused_for_now', 1730810763120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 20, 'handing_over', 'fenced', 1730810763120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 21, 'scheduled', 'refused_for_now', 1730810763120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 20, 'handing_over', 'fenced', 1730810763120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 21, 'scheduled', 'refused_for_now', 1730810763120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 22, 'claimed', 'claimed', 1730825163120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 22, 'claimed', 'claimed', 1730825163120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 15, 'claimed', 'claimed', 1730825163120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 23, 'handing_over', 'fenced', 1730825163120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 24, 'scheduled', 'refused_for_now', 1730825163120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 23, 'handing_over', 'fenced', 1730825163120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 24, 'scheduled', 'refused_for_now', 1730825163120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 16, 'scheduled', 'refused_for_now', 1730825163120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 17, 'claimed', 'claimed', 1730839563120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 25, 'claimed', 'claimed', 1730839563120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 25, 'claimed', 'claimed', 1730839563120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 18, 'scheduled', 'refused_for_now', 1730839563120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 26, 'handing_over', 'fenced', 1730839563120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 27, 'scheduled', 'refused_for_now', 1730839563120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 26, 'handing_over', 'fenced', 1730839563120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 27, 'scheduled', 'refused_for_now', 1730839563120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 28, 'claimed', 'claimed', 1730853963120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 28, 'claimed', 'claimed', 1730853963120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 19, 'claimed', 'claimed', 1730853963120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 29, 'handing_over', 'fenced', 1730853963120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 30, 'scheduled', 'refused_for_now', 1730853963120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 29, 'handing_over', 'fenced', 1730853963120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 30, 'scheduled', 'refused_for_now', 1730853963120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 20, 'scheduled', 'refused_for_now', 1730853963120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 31, 'claimed', 'claimed', 1730868363120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 31, 'claimed', 'claimed', 1730868363120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 21, 'claimed', 'claimed', 1730868363120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 32, 'handing_over', 'fenced', 1730868363120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 33, 'scheduled', 'refused_for_now', 1730868363120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 32, 'handing_over', 'fenced', 1730868363120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 33, 'scheduled', 'refused_for_now', 1730868363120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 22, 'scheduled', 'refused_for_now', 1730868363120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 34, 'claimed', 'claimed', 1730882763120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 23, 'claimed', 'claimed', 1730882763120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 34, 'claimed', 'claimed', 1730882763120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 35, 'handing_over', 'fenced', 1730882763120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 36, 'scheduled', 'refused_for_now', 1730882763120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 24, 'scheduled', 'refused_for_now', 1730882763120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 35, 'handing_over', 'fenced', 1730882763120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 36, 'scheduled', 'refused_for_now', 1730882763120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 37, 'claimed', 'claimed', 1730897163120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 25, 'claimed', 'claimed', 1730897163120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 37, 'claimed', 'claimed', 1730897163120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 38, 'handing_over', 'fenced', 1730897163120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 39, 'scheduled', 'refused_for_now', 1730897163120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 26, 'scheduled', 'refused_for_now', 1730897163120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 38, 'handing_over', 'fenced', 1730897163120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 39, 'scheduled', 'refused_for_now', 1730897163120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 27, 'claimed', 'claimed', 1730911563120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 40, 'claimed', 'claimed', 1730911563120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 40, 'claimed', 'claimed', 1730911563120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 28, 'scheduled', 'refused_for_now', 1730911563120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 41, 'handing_over', 'fenced', 1730911563120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 42, 'scheduled', 'refused_for_now', 1730911563120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 41, 'handing_over', 'fenced', 1730911563120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 42, 'scheduled', 'refused_for_now', 1730911563120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 43, 'claimed', 'claimed', 1730925963120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 43, 'claimed', 'claimed', 1730925963120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 29, 'claimed', 'claimed', 1730925963120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 44, 'handing_over', 'fenced', 1730925963120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 45, 'scheduled', 'refused_for_now', 1730925963120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 44, 'handing_over', 'fenced', 1730925963120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 45, 'scheduled', 'refused_for_now', 1730925963120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 30, 'scheduled', 'refused_for_now', 1730925963120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 31, 'claimed', 'claimed', 1730940363120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 46, 'claimed', 'claimed', 1730940363120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 46, 'claimed', 'claimed', 1730940363120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 32, 'scheduled', 'refused_for_now', 1730940363120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 47, 'handing_over', 'fenced', 1730940363120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 48, 'scheduled', 'refused_for_now', 1730940363120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 47, 'handing_over', 'fenced', 1730940363120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 48, 'scheduled', 'refused_for_now', 1730940363120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 49, 'claimed', 'claimed', 1730954763120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 33, 'claimed', 'claimed', 1730954763120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 49, 'claimed', 'claimed', 1730954763120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 50, 'handing_over', 'fenced', 1730954763120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 51, 'scheduled', 'refused_for_now', 1730954763120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 34, 'scheduled', 'refused_for_now', 1730954763120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 50, 'handing_over', 'fenced', 1730954763120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 51, 'scheduled', 'refused_for_now', 1730954763120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 52, 'claimed', 'claimed', 1730969163120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 35, 'claimed', 'claimed', 1730969163120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 52, 'claimed', 'claimed', 1730969163120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 53, 'handing_over', 'fenced', 1730969163120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 54, 'scheduled', 'refused_for_now', 1730969163120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 36, 'scheduled', 'refused_for_now', 1730969163120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 53, 'handing_over', 'fenced', 1730969163120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 54, 'scheduled', 'refused_for_now', 1730969163120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 37, 'claimed', 'claimed', 1730983563120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 55, 'claimed', 'claimed', 1730983563120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 55, 'claimed', 'claimed', 1730983563120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', 38, 'rejected', 'retries_exhausted', 1730983563120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 56, 'handing_over', 'fenced', 1730983563120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb707109967d643a82a7d48a', 57, 'rejected', 'retries_exhausted', 1730983563120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 56, 'handing_over', 'fenced', 1730983563120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 57, 'uncertain', 'process_died', 1730984464120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', 58, 'rejected', 'retries_exhausted', 1730984464120000, '451 4.7.1');
INSERT INTO public.changes VALUES (1, '\x01930bdd2af871acb19b5dbd7698f603', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87ae1b77bf34031385938', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87ae1b77bf34031385938', 2, 'handing_over', 'fenced', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af8726d9cc522112881455d', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (2, '\x01930bdd2af8761ebef715ebd782934a', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af8726d9cc522112881455d', 2, 'scheduled', 'paused', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (2, '\x01930bdd2af8761ebef715ebd782934a', 2, 'scheduled', 'shutdown', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af871acb19b5dbd7698f603', 2, 'uncertain', 'reconciled', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87ae1b77bf34031385938', 3, 'uncertain', 'reconciled', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af8726d9cc522112881455d', 3, 'uncertain', 'reconciled', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (2, '\x01930bdd2af8761ebef715ebd782934a', 3, 'uncertain', 'reconciled', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af874e5a96dec770ba67a00', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af874e5a96dec770ba67a00', 2, 'handing_over', 'fenced', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af874e5a96dec770ba67a00', 3, 'sent', 'accepted', 1731070864120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x01930bdd2af875948ae7f38c7110a7c5', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af875948ae7f38c7110a7c5', 2, 'handing_over', 'fenced', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af875948ae7f38c7110a7c5', 3, 'sent', 'accepted', 1731070864120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87923861ba4020dbf6243', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87923861ba4020dbf6243', 2, 'handing_over', 'fenced', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87923861ba4020dbf6243', 3, 'sent', 'accepted', 1731070864120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87618aa4477636aabe50f', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87618aa4477636aabe50f', 2, 'handing_over', 'fenced', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87618aa4477636aabe50f', 3, 'sent', 'accepted', 1731070864120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x01930bdd2af8778aa57400e9ed75272f', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af8778aa57400e9ed75272f', 2, 'handing_over', 'fenced', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af8778aa57400e9ed75272f', 3, 'sent', 'accepted', 1731070864120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x01930bdd2af876649ee27c642488328c', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af876649ee27c642488328c', 2, 'handing_over', 'fenced', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af876649ee27c642488328c', 3, 'sent', 'accepted', 1731070864120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87670bf4f645c1a417126', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87670bf4f645c1a417126', 2, 'handing_over', 'fenced', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87670bf4f645c1a417126', 3, 'sent', 'accepted', 1731070864120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x01930bdd2af873ea9cad9d02b280acce', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af873ea9cad9d02b280acce', 2, 'handing_over', 'fenced', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af873ea9cad9d02b280acce', 3, 'sent', 'accepted', 1731070864120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x01930bdd2af8707992b5b4f5b901f8c7', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af8707992b5b4f5b901f8c7', 2, 'handing_over', 'fenced', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af8707992b5b4f5b901f8c7', 3, 'sent', 'accepted', 1731070864120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x01930bdd2af870eda5ea65f94965b068', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af870eda5ea65f94965b068', 2, 'handing_over', 'fenced', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af870eda5ea65f94965b068', 3, 'sent', 'accepted', 1731070864120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87647b27673a8b31fcd26', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87647b27673a8b31fcd26', 2, 'handing_over', 'fenced', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87647b27673a8b31fcd26', 3, 'sent', 'accepted', 1731070864120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87f4fb7fe67d5204f7c8c', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87f4fb7fe67d5204f7c8c', 2, 'handing_over', 'fenced', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87f4fb7fe67d5204f7c8c', 3, 'sent', 'accepted', 1731070864120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87f0593e1d38dea7b64c0', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87f0593e1d38dea7b64c0', 2, 'handing_over', 'fenced', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87f0593e1d38dea7b64c0', 3, 'sent', 'accepted', 1731070864120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87647976c645e92cd4513', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87647976c645e92cd4513', 2, 'handing_over', 'fenced', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87647976c645e92cd4513', 3, 'sent', 'accepted', 1731070864120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x01930bdd2af8716085604fa5cad3cc7b', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af8716085604fa5cad3cc7b', 2, 'handing_over', 'fenced', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af8716085604fa5cad3cc7b', 3, 'sent', 'accepted', 1731070864120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x01930bdd2af877e1b21f2768c22fb0f2', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af877e1b21f2768c22fb0f2', 2, 'handing_over', 'fenced', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af877e1b21f2768c22fb0f2', 3, 'sent', 'accepted', 1731070864120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87c5787e11dbfdda92dc2', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87c5787e11dbfdda92dc2', 2, 'handing_over', 'fenced', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87c5787e11dbfdda92dc2', 3, 'sent', 'accepted', 1731070864120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x01930bdd2af8773cb202ba307fb6e7a6', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af8773cb202ba307fb6e7a6', 2, 'handing_over', 'fenced', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af8773cb202ba307fb6e7a6', 3, 'sent', 'accepted', 1731070864120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x01930bdd2af873708b8a8c08e8da78aa', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af873708b8a8c08e8da78aa', 2, 'handing_over', 'fenced', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af873708b8a8c08e8da78aa', 3, 'sent', 'accepted', 1731070864120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87d58b1c51bde1993ecdf', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87d58b1c51bde1993ecdf', 2, 'handing_over', 'fenced', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87d58b1c51bde1993ecdf', 3, 'sent', 'accepted', 1731070864120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x01930bdd2af871ee876d5cda597c63cd', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af871ee876d5cda597c63cd', 2, 'handing_over', 'fenced', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af871ee876d5cda597c63cd', 3, 'sent', 'accepted', 1731070864120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87cb8b5d8141ce6e8aa6a', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87cb8b5d8141ce6e8aa6a', 2, 'handing_over', 'fenced', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87cb8b5d8141ce6e8aa6a', 3, 'sent', 'accepted', 1731070864120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87e3cb6097b7333d71b20', 1, 'claimed', 'claimed', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87e3cb6097b7333d71b20', 2, 'handing_over', 'fenced', 1731070864120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01930bdd2af87e3cb6097b7333d71b20', 3, 'sent', 'accepted', 1731070864120000, '250 2.0.0');
INSERT INTO public.changes VALUES (2, '\x019935028eb879c3a68e854a7635edf3', 1, 'claimed', 'claimed', 1757530984120000, NULL);
INSERT INTO public.changes VALUES (2, '\x019935028eb879c3a68e854a7635edf3', 2, 'handing_over', 'fenced', 1757530984120000, NULL);
INSERT INTO public.changes VALUES (2, '\x019935028eb879c3a68e854a7635edf3', 3, 'sent', 'accepted', 1757530984120000, '250 2.0.0');
INSERT INTO public.changes VALUES (2, '\x019935028eb87ddfa07a808e6b06a3d7', 1, 'claimed', 'claimed', 1757530984120000, NULL);
INSERT INTO public.changes VALUES (2, '\x019935028eb87ddfa07a808e6b06a3d7', 2, 'handing_over', 'fenced', 1757530984120000, NULL);
INSERT INTO public.changes VALUES (2, '\x019935028eb87ddfa07a808e6b06a3d7', 3, 'sent', 'accepted', 1757530984120000, '250 2.0.0');
INSERT INTO public.changes VALUES (2, '\x019935028eb874978ad74ced66e2b630', 1, 'claimed', 'claimed', 1757530984120000, NULL);
INSERT INTO public.changes VALUES (2, '\x019935028eb874978ad74ced66e2b630', 2, 'handing_over', 'fenced', 1757530984120000, NULL);
INSERT INTO public.changes VALUES (2, '\x019935028eb874978ad74ced66e2b630', 3, 'sent', 'accepted', 1757530984120000, '250 2.0.0');
INSERT INTO public.changes VALUES (2, '\x019935028eb8719fb60d3367d43b0e63', 1, 'suppressed', 'opted_out', 1757530984120000, NULL);
INSERT INTO public.changes VALUES (1, '\x019935028eb878778d5fe2aae52a5d55', 1, 'suppressed', 'opted_out', 1757531044120000, NULL);
INSERT INTO public.changes VALUES (2, '\x019935028eb879af92e9b7598e9f8dcc', 1, 'suppressed', 'opted_out', 1757531044120000, NULL);
INSERT INTO public.changes VALUES (2, '\x019935028eb87f04a43d05b2ccea983d', 1, 'suppressed', 'opted_out', 1757531044120000, NULL);
INSERT INTO public.changes VALUES (1, '\x019935028eb87155a772af24945afea8', 1, 'cancelled', 'erased', 1757531044120000, NULL);
INSERT INTO public.changes VALUES (1, '\x019935028eb8794cb051adf20a153c89', 1, 'suppressed', 'opted_out', 1757531104120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0199350463787f3685f549a938a3e009', 1, 'suppressed', 'opted_out', 1757531104120000, NULL);
INSERT INTO public.changes VALUES (1, '\x0199350463787fbcb7825cc1858df2e4', 1, 'cancelled', 'erased', 1757531104120000, NULL);
INSERT INTO public.changes VALUES (1, '\x01993504637874d19a8f34671db7e1e0', 1, 'cancelled', 'cancelled', 1757531104120000, NULL);
INSERT INTO public.changes VALUES (1, '\x019a42f464787131b0077a691589ed42', 1, 'claimed', 'claimed', 1762059904120000, NULL);
INSERT INTO public.changes VALUES (1, '\x019a42f464787131b0077a691589ed42', 2, 'handing_over', 'fenced', 1762059904120000, NULL);
INSERT INTO public.changes VALUES (1, '\x019a42f464787131b0077a691589ed42', 3, 'sent', 'accepted', 1762059904120000, '250 2.0.0');
INSERT INTO public.changes VALUES (3, '\x01993504637873d2aa25e32e45f682e5', 1, 'expired', 'overdue', 1764738304120000, NULL);
INSERT INTO public.changes VALUES (1, '\x019ae2998878765ebafc7376b9ee374f', 1, 'claimed', 'claimed', 1764738304120000, NULL);
INSERT INTO public.changes VALUES (1, '\x019ae2998878765ebafc7376b9ee374f', 2, 'handing_over', 'fenced', 1764738304120000, NULL);
INSERT INTO public.changes VALUES (1, '\x019ae2998878765ebafc7376b9ee374f', 3, 'sent', 'accepted', 1764738304120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x019ae7bfe4787a10bb1599cfad0579e8', 1, 'claimed', 'claimed', 1764824704120000, NULL);
INSERT INTO public.changes VALUES (1, '\x019ae7bfe4787a10bb1599cfad0579e8', 2, 'handing_over', 'fenced', 1764824704120000, NULL);
INSERT INTO public.changes VALUES (1, '\x019ae7bfe4787a10bb1599cfad0579e8', 3, 'sent', 'accepted', 1764824704120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x019aece7bf48772c89bded4d01fc34bc', 1, 'claimed', 'claimed', 1764911202120000, NULL);
INSERT INTO public.changes VALUES (1, '\x019aece7bf48797a84efbaf20b5a7e7f', 1, 'claimed', 'claimed', 1764911202120000, NULL);
INSERT INTO public.changes VALUES (2, '\x019aece7bf48781bb53cbb539c86e9fc', 1, 'claimed', 'claimed', 1764911202120000, NULL);
INSERT INTO public.changes VALUES (1, '\x019aece7bf48772c89bded4d01fc34bc', 2, 'handing_over', 'fenced', 1764911202120000, NULL);
INSERT INTO public.changes VALUES (1, '\x019aece7bf48772c89bded4d01fc34bc', 3, 'sent', 'accepted', 1764911202120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x019aece7bf48797a84efbaf20b5a7e7f', 2, 'handing_over', 'fenced', 1764911202120000, NULL);
INSERT INTO public.changes VALUES (1, '\x019aece7bf48797a84efbaf20b5a7e7f', 3, 'sent', 'accepted', 1764911202120000, '250 2.0.0');
INSERT INTO public.changes VALUES (2, '\x019aece7bf48781bb53cbb539c86e9fc', 2, 'handing_over', 'fenced', 1764911202120000, NULL);
INSERT INTO public.changes VALUES (2, '\x019aece7bf48781bb53cbb539c86e9fc', 3, 'sent', 'accepted', 1764911202120000, '250 2.0.0');
INSERT INTO public.changes VALUES (1, '\x019af20e1b487b2cbf48e6d5a7715a58', 1, 'claimed', 'claimed', 1764997602120000, NULL);
INSERT INTO public.changes VALUES (1, '\x019af20e1b487b2cbf48e6d5a7715a58', 2, 'handing_over', 'fenced', 1764997602120000, NULL);
INSERT INTO public.changes VALUES (1, '\x019af20e1b4872069ff7a6fa64d48df2', 1, 'claimed', 'claimed', 1764997602120000, NULL);
INSERT INTO public.changes VALUES (1, '\x019af20e6968709db51fb21717dbc28f', 1, 'scheduled', 'operator', 1764997622120000, NULL);


--
-- Data for Name: day_tallies; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.day_tallies VALUES (1, 'snippets', 739591, 1);
INSERT INTO public.day_tallies VALUES (1, 'views', 739591, 4);
INSERT INTO public.day_tallies VALUES (2, 'views', 739591, 1);
INSERT INTO public.day_tallies VALUES (4, 'views', 739591, 2);


--
-- Data for Name: domains; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.domains VALUES (1, 'shop.molen.example.nl', '5akxyk6w2f3ba4ohnr7toxuofn54t4we', 1730714460120000, NULL, 0, 1730714460120000, NULL, NULL, 'dns:no_record well_known:refused');
INSERT INTO public.domains VALUES (2, 'tea.example.org', 'nzc3hsry3uyfzv4nhfyrlryyrkz7jtjg', 1730714460120000, 1730714460120000, 1, NULL, NULL, NULL, '');
INSERT INTO public.domains VALUES (2, 'unchecked.example.org', 'b5uez6nkz7gqlg3rv2ecygnfmne5hv76', 1730714460120000, NULL, 0, NULL, NULL, NULL, '');
INSERT INTO public.domains VALUES (3, 'xn--bcher-fietsen-wob.example', 'uguestxuo7u7hix3luq3khbyozak6ibv', 1730714460120000, NULL, 0, NULL, NULL, NULL, '');
INSERT INTO public.domains VALUES (1, 'weg.molen.example.nl', 'pwn53vkqrd6xdhtdzsp3wha57rxmklpl', 1730714460120000, NULL, 0, 1761879904120000, 1761249904120000, 1761879904120000, 'dns:no_record well_known:refused');
INSERT INTO public.domains VALUES (1, 'oud.molen.example.nl', 'vrnnndsga4idva4rfycwtfenv2aqrz6u', 1730714460120000, 1730714460120000, 0, 1762059904120000, 1762059904120000, NULL, 'dns:no_record well_known:refused');
INSERT INTO public.domains VALUES (1, 'www.molen.example.nl', 'jjckjpmwc2k7kwdup4xais6k27pv4mu2', 1730714460120000, 1730714460120000, 0, 1762059904120000, NULL, NULL, '');


--
-- Data for Name: hosts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.hosts VALUES ('e2c5e97fad15d0e99e49af4367ea1e0b', 99, NULL, NULL);


--
-- Data for Name: invitations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.invitations VALUES (1, '\x0192f69edfd87522830f7362bbffb002', '\xf8f783352948501250a5b0adb3efc970', NULL, 'M-10', 'nl', 1730714460120000, 1730714460120000, 1730714460120000, 'cancelled', 'erased', 1730714460120000, NULL, 1, 1730714460120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x0192f69edfd872528ca4b33b86d58287', '\x4b59102b152924e8c329c95929702002', NULL, NULL, 'nl', 1730714460120000, 1730714460120000, 1730714515120000, 'sent', 'accepted', 1730718060120000, '250 2.0.0', 2, 1730714460120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x0192f69edfd87270aa670f6008df48ca', '\x649213b161d87ce2b80dc0085cbe26e9', NULL, 'M-7', 'nl', 1730714460120000, 1730714460120000, 1730714460120000, 'sent', 'operator', 1730714460120000, NULL, 1, 1730714460120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x0192f69edfd874f085f69a4fc64bdf39', '\x78abface23c5c9c9e52e50362061147a', NULL, '№ 1 / 2024', 'nl', 1730714460120000, 1730714460120000, 1730714460120000, 'sent', 'accepted', 1730714460120000, '250 2.0.0', 1, 1730714460120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x0192f69edfd87673849d104ac41dfdcc', '\x68c77fd0fbc43c88aeb17d10ce915f1c', NULL, 'M-4', 'nl', 1730714460120000, 1730714460120000, 1730714511120000, 'sent', 'accepted', 1730718060120000, '250 2.0.0', 2, 1730714460120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x0192f69edfd876c494648f43abd1334a', '\x92a5cec593470c2add3da7913e2faa80', NULL, NULL, 'nl', 1730714460120000, 1730714460120000, 1730714507120000, 'sent', 'accepted', 1730718060120000, '250 2.0.0', 2, 1730714460120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x01930bdd2af8773cb202ba307fb6e7a6', '\x2b377cd0385e6b7f82632990a327059c', NULL, 'R-17', 'nl', 1731070864120000, 1731070864120000, 1731070864120000, 'sent', 'accepted', 1731070864120000, '250 2.0.0', 1, 1731070864120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x01930bdd2af873708b8a8c08e8da78aa', '\x2c0dc40699f59b600123adad58567207', NULL, 'R-18', 'nl', 1731070864120000, 1731070864120000, 1731070864120000, 'sent', 'accepted', 1731070864120000, '250 2.0.0', 1, 1731070864120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x01930bdd2af87d58b1c51bde1993ecdf', '\x37ebb7e78ff44ac540e81c4180f7c93e', NULL, 'R-19', 'nl', 1731070864120000, 1731070864120000, 1731070864120000, 'sent', 'accepted', 1731070864120000, '250 2.0.0', 1, 1731070864120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x01930bdd2af871ee876d5cda597c63cd', '\x04fdfd726daf0375bc5abf892bd32f8f', NULL, 'R-20', 'nl', 1731070864120000, 1731070864120000, 1731070864120000, 'sent', 'accepted', 1731070864120000, '250 2.0.0', 1, 1731070864120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x0192f69edfd876edbf9722828f69b3ad', '\xc2c35e32e32a1581a0e1e7bf1b1f6df1', NULL, NULL, 'nl', 1730714460120000, 1730714460120000, 1730714460120000, 'uncertain', 'process_died', 1730718060120000, NULL, 1, 1730714460120000, '\xf0f54526b2f887176f5c122f6611bca4', 1730715360120000, 0);
INSERT INTO public.invitations VALUES (1, '\x0192f69edfd876f38b229fa11a4b9236', '\xf2b1ba713954f371641ede09dccec396', NULL, 'M-2', 'nl', 1730714460120000, 1730714460120000, 1730714520120000, 'sent', 'accepted', 1730718060120000, '250 2.0.0', 2, 1730714460120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x0192f69edfd876f9a9c3d63303963a92', '\x16dfcfc833a5660727f482acd74490b3', NULL, 'M-5', 'nl', 1730714460120000, 1730714460120000, 1730714460120000, 'uncertain', 'answer_lost', 1730714460120000, NULL, 1, 1730714460120000, '\xdf021bd81b56f664e34b22ac8c4ef79c', 1730715360120000, 0);
INSERT INTO public.invitations VALUES (1, '\x0192f69edfd87a92837a34a5cfd8da5b', '\x004128bb7bb65fbea1e116397b4f1a89', NULL, 'M-1', 'nl', 1730714460120000, 1730714460120000, 1730714460120000, 'rejected', 'refused', 1730714460120000, '550 5.1.1', 1, 1730714460120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x0192f69edfd87b6ca5aadfddf755726f', '\x91bdc624122df787cbadd709c6586de4', NULL, NULL, 'nl', 1730714460120000, 1730714460120000, 1730714460120000, 'sent', 'accepted', 1730718060120000, '250 2.0.0', 2, 1730718060120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (2, '\x019935028eb879c3a68e854a7635edf3', '\xbb812752077d5cd55cfd8e3d121546f8', '\xf91257ab66c8062acf42564f23d90c86d55545e697d2246ac052fa644ccf61e91f72dbb66daabe0bd3a7c5ad4923cdd590d8be46f046cc31e25872', 'S-1', 'en', 1757530984120000, 1757530984120000, 1757530984120000, 'sent', 'accepted', 1757530984120000, '250 2.0.0', 1, 1757530984120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x0192f69edfd87ce8ad9f5ba2d7125bc9', '\xe0c912dc0db01975b1c90d67ec148a00', NULL, 'M-3', 'nl', 1730714460120000, 1730714460120000, 1730714510120000, 'sent', 'accepted', 1730718060120000, '250 2.0.0', 2, 1730714460120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x0192f69edfd87d44b0762bba6d04a618', '\xea7c161609eae1e59d76a65f8cdbae6a', NULL, 'M-0', 'nl', 1730714460120000, 1730714460120000, 1730714460120000, 'rejected', 'refused', 1730714460120000, '550 5.1.1', 1, 1730714460120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x0192f69edfd87ddd8819cd2653c979fc', '\x569b9905b26b14458142e572431c8fbc', NULL, 'M-9', 'nl', 1730714460120000, 1730714460120000, 1730714460120000, 'suppressed', 'opted_out', 1730714460120000, NULL, 1, 1730714460120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x0192f69edfd87ee38627f128616a5d33', '\x89a68e2c513aa6e58e3fbf52583907b2', NULL, NULL, 'nl', 1730714460120000, 1730714460120000, 1730714520120000, 'sent', 'accepted', 1730718060120000, '250 2.0.0', 2, 1730718060120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x0192f69edfd87f9e89b0d898a2463346', '\x558ae60085b37acac620d8c366843b7f', NULL, 'M-8', 'nl', 1730714460120000, 1730714460120000, 1730714460120000, 'sent', 'accepted', 1730714460120000, '250 2.0.0', 2, 1730714460120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x0192f69edfd87ff6816f057841181b4f', '\x8345af56f24a7daa79bd6fd7dc8e9b4f', NULL, 'M-6', 'nl', 1730714460120000, 1730714460120000, 1730714460120000, 'sent', 'link_opened', 1730714460120000, NULL, 1, 1730714460120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (2, '\x0192f69edfd8709c908a794a750e727f', '\xebfbb8d85fc789f9168437bd45b8ae1c', NULL, NULL, 'en', 1730714460120000, 1730714460120000, 1730714460120000, 'cancelled', 'cancelled', 1730714460120000, NULL, 1, 1730714460120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (2, '\x0192f69edfd87180af96bb2c2a3d870e', '\xce559110d6fc5bb3fb5266b0649a34a7', NULL, NULL, 'en', 1730714460120000, 1730714460120000, 1730714460120000, 'sent', 'accepted', 1730714460120000, '250 2.0.0', 2, 1730714460120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (2, '\x0192f69edfd877568757f65a182808d7', '\x78abface23c5c9c9e52e50362061147a', NULL, NULL, 'en', 1730714460120000, 1730714460120000, 1730714460120000, 'sent', 'accepted', 1730714460120000, '250 2.0.0', 1, 1730714460120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (2, '\x0192f69edfd87f6c911fed8523902e17', '\x253b4d09ceaac65e7911be609edf8613', NULL, NULL, 'en', 1730714460120000, 1730714460120000, 1730714460120000, 'sent', 'accepted', 1730714460120000, '250 2.0.0', 3, 1730714460120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x0192f6d5ce587de2989dd00a23c048b6', '\xd26fbacfb8f90173fc6a2b9118714292', NULL, NULL, 'nl', 1730718060120000, 1730718060120000, 1730718060120000, 'sent', 'accepted', 1730718961120000, '250 2.0.0', 1, 1730718060120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x0192f6e38de07fdab0c7f34030adca6d', '\x1ea716b02b5c65d44edc26a100652a30', NULL, NULL, 'nl', 1730718961120000, 1730718961120000, 1730718961120000, 'rejected', 'refused', 1730719862120000, '550 5.1.1', 1, 1730718961120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x0192f6f14d687ab6a8cb25c97fcb3841', '\xffe173eb5cfde43d0782f4286481dff8', NULL, NULL, 'nl', 1730719862120000, 1730719862120000, 1730720822120000, 'sent', 'accepted', 1730724363120000, '250 2.0.0', 2, 1730719862120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x0192f735fb707109967d643a82a7d48a', '\x90aae642b343e02913decdff4a87d79a', NULL, NULL, 'nl', 1730724363120000, 1730724363120000, 1730982716120000, 'rejected', 'retries_exhausted', 1730983563120000, '451 4.7.1', 19, 1730724363120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x0192f735fb70770cb3fe6c541ecd5c88', '\x11c2b96f207ec3a6ef694c38cf61584f', NULL, NULL, 'nl', 1730724363120000, 1730724363120000, 1730983281120000, 'rejected', 'retries_exhausted', 1730984464120000, '451 4.7.1', 19, 1730724363120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x0192f735fb7077fbb29ebcd94c4222b1', '\xee1b922be9ffe895b53602098ee7a4d0', NULL, NULL, 'nl', 1730724363120000, 1730724363120000, 1730980472120000, 'rejected', 'retries_exhausted', 1730983563120000, '451 4.7.1', 19, 1730724363120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x01930bdd2af8707992b5b4f5b901f8c7', '\x28003bd6d2622ec2b568eaa5e1a99481', NULL, 'R-8', 'nl', 1731070864120000, 1731070864120000, 1731070864120000, 'sent', 'accepted', 1731070864120000, '250 2.0.0', 1, 1731070864120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x01930bdd2af870eda5ea65f94965b068', '\x6e59c5e067c37e81f46973cf2044702e', NULL, 'R-9', 'nl', 1731070864120000, 1731070864120000, 1731070864120000, 'sent', 'accepted', 1731070864120000, '250 2.0.0', 1, 1731070864120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x01930bdd2af8716085604fa5cad3cc7b', '\x754fe9ab7466c952952923b2f46f3e83', NULL, 'R-14', 'nl', 1731070864120000, 1731070864120000, 1731070864120000, 'sent', 'accepted', 1731070864120000, '250 2.0.0', 1, 1731070864120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x01930bdd2af871acb19b5dbd7698f603', '\x6716024857a5802dac9ab621153aefa9', NULL, NULL, 'nl', 1731070864120000, 1731070864120000, 1731070864120000, 'uncertain', 'reconciled', 1731070864120000, NULL, 1, 1731070864120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x01930bdd2af8726d9cc522112881455d', '\xbf6a5c0366727ecedc460a23654b62a3', NULL, NULL, 'nl', 1731070864120000, 1731070864120000, 1731070864120000, 'uncertain', 'reconciled', 1731070864120000, NULL, 1, NULL, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x01930bdd2af873ea9cad9d02b280acce', '\x16d96d61fe961b807270c754bb0163e5', NULL, 'R-7', 'nl', 1731070864120000, 1731070864120000, 1731070864120000, 'sent', 'accepted', 1731070864120000, '250 2.0.0', 1, 1731070864120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x01930bdd2af874e5a96dec770ba67a00', '\xf18b3bc889f15f70aadf465861065137', NULL, 'R-0', 'nl', 1731070864120000, 1731070864120000, 1731070864120000, 'sent', 'accepted', 1731070864120000, '250 2.0.0', 1, 1731070864120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x01930bdd2af875948ae7f38c7110a7c5', '\x083c58d4350923672c4a9f485a68d4bb', NULL, 'R-1', 'nl', 1731070864120000, 1731070864120000, 1731070864120000, 'sent', 'accepted', 1731070864120000, '250 2.0.0', 1, 1731070864120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x01930bdd2af87618aa4477636aabe50f', '\x8953aaee2237984e1b1941af6c8eab4c', NULL, 'R-3', 'nl', 1731070864120000, 1731070864120000, 1731070864120000, 'sent', 'accepted', 1731070864120000, '250 2.0.0', 1, 1731070864120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x01930bdd2af87647976c645e92cd4513', '\x00d8e2108a56db2fa19a963596c8e21e', NULL, 'R-13', 'nl', 1731070864120000, 1731070864120000, 1731070864120000, 'sent', 'accepted', 1731070864120000, '250 2.0.0', 1, 1731070864120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x01930bdd2af87647b27673a8b31fcd26', '\xf121cfac56915bc012de290e1f9bda2d', NULL, 'R-10', 'nl', 1731070864120000, 1731070864120000, 1731070864120000, 'sent', 'accepted', 1731070864120000, '250 2.0.0', 1, 1731070864120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x01930bdd2af876649ee27c642488328c', '\xf6acfe78574b2fc72fc15639a0e6e3b7', NULL, 'R-5', 'nl', 1731070864120000, 1731070864120000, 1731070864120000, 'sent', 'accepted', 1731070864120000, '250 2.0.0', 1, 1731070864120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x01930bdd2af87670bf4f645c1a417126', '\xd0f655d7659c77fb4b14d24a7246ebe2', NULL, 'R-6', 'nl', 1731070864120000, 1731070864120000, 1731070864120000, 'sent', 'accepted', 1731070864120000, '250 2.0.0', 1, 1731070864120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x01930bdd2af8778aa57400e9ed75272f', '\xd7b425c354c4ecac3138d6b080d3c35f', NULL, 'R-4', 'nl', 1731070864120000, 1731070864120000, 1731070864120000, 'sent', 'accepted', 1731070864120000, '250 2.0.0', 1, 1731070864120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x01930bdd2af877e1b21f2768c22fb0f2', '\xcbd5c4f4f52c80678d15d177a7263b7e', NULL, 'R-15', 'nl', 1731070864120000, 1731070864120000, 1731070864120000, 'sent', 'accepted', 1731070864120000, '250 2.0.0', 1, 1731070864120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x01930bdd2af87923861ba4020dbf6243', '\x4c5a37b944a46b7cfbe3ba2e7e7f38dd', NULL, 'R-2', 'nl', 1731070864120000, 1731070864120000, 1731070864120000, 'sent', 'accepted', 1731070864120000, '250 2.0.0', 1, 1731070864120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x01930bdd2af87ae1b77bf34031385938', '\x577184c210207527dac6f6ea6df0df0f', NULL, NULL, 'nl', 1731070864120000, 1731070864120000, 1731070864120000, 'uncertain', 'reconciled', 1731070864120000, NULL, 1, 1731070864120000, '\xf69eae85d1abe182381edcb28b630654', 1731071764120000, 0);
INSERT INTO public.invitations VALUES (1, '\x01930bdd2af87c5787e11dbfdda92dc2', '\x93df470976a12b8914559d1cbc67f1e6', NULL, 'R-16', 'nl', 1731070864120000, 1731070864120000, 1731070864120000, 'sent', 'accepted', 1731070864120000, '250 2.0.0', 1, 1731070864120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x01930bdd2af87cb8b5d8141ce6e8aa6a', '\x6e91da1292654b47bb211f9bd67be860', NULL, 'R-21', 'nl', 1731070864120000, 1731070864120000, 1731070864120000, 'sent', 'accepted', 1731070864120000, '250 2.0.0', 1, 1731070864120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x01930bdd2af87e3cb6097b7333d71b20', '\x47edf4fc3570aa75f0e08e7a7e1bfa3c', NULL, 'R-22', 'nl', 1731070864120000, 1731070864120000, 1731070864120000, 'sent', 'accepted', 1731070864120000, '250 2.0.0', 1, 1731070864120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x01930bdd2af87f0593e1d38dea7b64c0', '\x5eb135c2946f11a1574c96e55a5277ec', NULL, 'R-12', 'nl', 1731070864120000, 1731070864120000, 1731070864120000, 'sent', 'accepted', 1731070864120000, '250 2.0.0', 1, 1731070864120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x01930bdd2af87f4fb7fe67d5204f7c8c', '\x42a654b8ee6acbc69a2ff6068f239bb2', NULL, 'R-11', 'nl', 1731070864120000, 1731070864120000, 1731070864120000, 'sent', 'accepted', 1731070864120000, '250 2.0.0', 1, 1731070864120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (2, '\x01930bdd2af8761ebef715ebd782934a', '\x2da2de5caef24fcd642de72cc244e1a7', NULL, NULL, 'en', 1731070864120000, 1731070864120000, 1731070864120000, 'uncertain', 'reconciled', 1731070864120000, NULL, 1, NULL, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (2, '\x019935028eb87ddfa07a808e6b06a3d7', '\xaa2e2c79f0d23a993024cf5b268a5e49', '\x73bc5f811d0a575ba09a24256d295f6d626c6d0e760837e26433ee4a5a3f99265ac4c8c1ca4e813fd9ee280968758f132cd23adae8eeb9b3bf61792e373e8ea82228540f790f', 'S-1', 'en', 1757530984120000, 1757530984120000, 1757530984120000, 'sent', 'accepted', 1757530984120000, '250 2.0.0', 1, 1757530984120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x019935028eb878778d5fe2aae52a5d55', '\xaa2e2c79f0d23a993024cf5b268a5e49', '\x1d068eca5c4a98cbd2d455017c1c8383d2c58d0a7797333505ce79e16213f319c0ad20ce2410ebb8f8b38eb6acdad6f333938b3b86e9ac8a2ae83d912f26152dcc2777530119', 'S-3', 'nl', 1757530984120000, 1757790184120000, 1757790184120000, 'suppressed', 'opted_out', 1757531044120000, NULL, 0, NULL, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x019935028eb8794cb051adf20a153c89', '\xbb812752077d5cd55cfd8e3d121546f8', '\xcdf2ee4e8fdb2259c5e34322d54935ca673f80115e86bd6206b531cfe9c4431df28f34d4ee558671a21802a50faa6513764b1396727a9572b5089f', 'S-3', 'nl', 1757530984120000, 1757790184120000, 1757790184120000, 'suppressed', 'opted_out', 1757531104120000, NULL, 0, NULL, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (2, '\x019935028eb8719fb60d3367d43b0e63', '\xbb812752077d5cd55cfd8e3d121546f8', '\x058924329454e0dac2602d31e3030d9d294f566e7cdbe5fb40f250de95e25fdc83614be538e6dc45c02836f5d3abb7ce600991559e3cbf073bd0db', 'S-2', 'en', 1757530984120000, 1757790184120000, 1757790184120000, 'suppressed', 'opted_out', 1757530984120000, NULL, 0, NULL, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (2, '\x019935028eb879af92e9b7598e9f8dcc', '\xaa2e2c79f0d23a993024cf5b268a5e49', '\x9aefbdba6f5fb6012dfb82dd0b4076ccd67e3d6c9f581e97fe13d67b549b4593438f04eecfd14a69cef4fda2c2c5cc3075078e0770de258fef07395d0ba3c970551ee39113de', 'S-2', 'en', 1757530984120000, 1757790184120000, 1757790184120000, 'suppressed', 'opted_out', 1757531044120000, NULL, 0, NULL, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x019935028eb87155a772af24945afea8', '\x091752030bab1a66e2e3b90ba51a258e', NULL, 'S-3', 'nl', 1757530984120000, 1757790184120000, 1757790184120000, 'cancelled', 'erased', 1757531044120000, NULL, 0, NULL, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (2, '\x019935028eb874978ad74ced66e2b630', '\x091752030bab1a66e2e3b90ba51a258e', NULL, 'S-1', 'en', 1757530984120000, 1757530984120000, 1757530984120000, 'sent', 'accepted', 1757530984120000, '250 2.0.0', 1, 1757530984120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (2, '\x019935028eb87f04a43d05b2ccea983d', '\x091752030bab1a66e2e3b90ba51a258e', NULL, 'S-2', 'en', 1757530984120000, 1757790184120000, 1757790184120000, 'suppressed', 'opted_out', 1757531044120000, NULL, 0, NULL, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x0199350463787f3685f549a938a3e009', '\xf24d231c8964145bd34485f07cf718e8', NULL, 'S-4', 'nl', 1757531104120000, 1757790304120000, 1757790304120000, 'suppressed', 'opted_out', 1757531104120000, NULL, 0, NULL, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x0199350463787fbcb7825cc1858df2e4', '\x29331f747660bd500b34d3502f12045f', NULL, 'S-5', 'nl', 1757531104120000, 1757790304120000, 1757790304120000, 'cancelled', 'erased', 1757531104120000, NULL, 0, NULL, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x01993504637874d19a8f34671db7e1e0', '\x1cf68748ea5071fe12b25234803839bc', '\xd216ce5607a3f54e719333175f4da1ec8d2445ecccb9a23bc1e599b2c6eec4bdfdd3258a5ae86d19a3dbc735c7883f8ae744fab85f171231a9c88b28b0', 'S-6', 'nl', 1757531104120000, 1757790304120000, 1757790304120000, 'cancelled', 'cancelled', 1757531104120000, NULL, 0, NULL, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x019a42f464787131b0077a691589ed42', '\x95fcb75373c58012ee387db08e991ebb', '\xb39c4141a663dfa58033ff8fd1d0057eb2cdbd74693b8c89028f6852f8afdb97679fdd2dc32641cfd964503e86ecad9dd40d51abc84c01344a', '1001', 'nl', 1762059904120000, 1762059904120000, 1762059904120000, 'sent', 'accepted', 1762059904120000, '250 2.0.0', 1, 1762059904120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (3, '\x01993504637873d2aa25e32e45f682e5', '\x4a22b424515ea3569fce14f3790ea0dc', '\x3f07bface062e9ca7b1e0aee456b1fe643937438ee3b7115aa1c499d0158da7500b2acd7512dd9f2b93b85ecc94f578ee60553a907b0b65f574a98', 'S-7', 'nl', 1757531104120000, 1757790304120000, 1757790304120000, 'expired', 'overdue', 1764738304120000, NULL, 0, NULL, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x019ae2998878765ebafc7376b9ee374f', '\x025684508dfce0add324cc8c35db80ab', '\xf0a6bb577b927be9ced89b8554704d564883f7eaca571fe044a34db407ebbdd7661748c3d1f139dc0d9ff17ce680c52742a9286562c6021425', '1001', 'nl', 1764738304120000, 1764738304120000, 1764738304120000, 'sent', 'accepted', 1764738304120000, '250 2.0.0', 1, 1764738304120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x019ae7bfe4787a10bb1599cfad0579e8', '\x0696a7ac6192f066260e755b811c1510', '\xcd6e364fa1d84499dfb55f46cb3132ea3374e76a433d7ae269ac3d055261f313aeda0e3aa8bc74ac8ba42c9a2ee7262a1e0089138f3a4db15517', '1001', 'nl', 1764824704120000, 1764824704120000, 1764824704120000, 'sent', 'accepted', 1764824704120000, '250 2.0.0', 1, 1764824704120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x019aece7bf48772c89bded4d01fc34bc', '\xf7455969b44bcc5f95d3f2a6e55bd255', '\x03e1d34811fae88fd749ca112349ed9a155f6fe5e5c7c8cf65eea496bb1598060c821285a9d9930e2570c7987d16e2ffc115183f3242b5e886f2f574436a14', NULL, 'nl', 1764911202120000, 1764911202120000, 1764911202120000, 'sent', 'accepted', 1764911202120000, '250 2.0.0', 1, 1764911202120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x019aece7bf48797a84efbaf20b5a7e7f', '\x06c8dc59e1e1edcd998e93bdd06fdc57', '\x01b9acab830d45e40311fab7e7a24d2817414f64cc09cc7b0b529008ae51d27e2542eee3bf2e7f81f6b91ade474da6bb294cdd18f3a2e71a211e8d', '1002', 'nl', 1764911202120000, 1764911202120000, 1764911202120000, 'sent', 'accepted', 1764911202120000, '250 2.0.0', 1, 1764911202120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (2, '\x019aece7bf48781bb53cbb539c86e9fc', '\x0f4ea75b47c0d18c78a5f80c254b8ff3', '\x4db54de6805db83b778c4678ad2a22ac2b8e77aaf2654374b760db980134822b2c16b8ea33fd55650936835da907f7a4a54f97610d99acd2cbab31', 'T-1', 'en', 1764911202120000, 1764911202120000, 1764911202120000, 'sent', 'accepted', 1764911202120000, '250 2.0.0', 1, 1764911202120000, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x019aece7bf487f47b7bc8b9a1ebd66bd', '\xcb595bd67daa9ffb0da1fd43e28fc7ff', '\x0421237552e80f6c31ea918567871b5147e4e0e9501bdc25971e9035ee210871b6fe1e80850f02e8948f042b7826ca17b1efb5141851c084bdd342', '1003', 'nl', 1764911202120000, 1767503202120000, 1767503202120000, 'scheduled', 'reported', 1764911202120000, NULL, 0, NULL, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x019af20e1b487b2cbf48e6d5a7715a58', '\x19813434a0de17ae2c34e6b8c1c56330', '\x38a77b655ead2f10cb0e4bf60a526413fee465ee8694dce86beb4600c4c6c448690e42fe04355f61607455e9117995f68c5143d119e28cdc017b940d2bfbe1338f6d8fb4', '1006', 'nl', 1764997602120000, 1764997602120000, 1764997602120000, 'handing_over', 'fenced', 1764997602120000, NULL, 1, 1764997602120000, '\x25512841caa13bda7ae6ca7c20837469', 1764998502120000, 0);
INSERT INTO public.invitations VALUES (1, '\x019af20e1b4872069ff7a6fa64d48df2', '\x6f01889879f17ad6c6f8f44500b73d65', '\xd54b5c1372ad7317044a5d35923733bf3bfc27fed748231d95f12c003b0a4005af85f2161bf5e76cb1cb572430b96e0df0f2bf64b783399a20a05369b772e32a', '1006', 'nl', 1764997602120000, 1764997602120000, 1764997602120000, 'claimed', 'claimed', 1764997602120000, NULL, 1, 1764997602120000, '\x6f56123c3fa8c258ef9058c1ced22934', 1764998502120000, 0);
INSERT INTO public.invitations VALUES (1, '\x019af20e6968709db51fb21717dbc28f', '\xe73786052f9ed087c36cd69d051bc361', '\xe0124a9197fca530ec8bbd84f05ada157419a24d60b3d64637fe15783ef397c5a057004450e60fbb9ddd4169182254a94139eac8f03b07933a47', '1004', 'nl', 1764997622120000, 1767589622120000, 1764997622120000, 'scheduled', 'operator', 1764997622120000, NULL, 0, NULL, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x019af20e6968709495a23d2dda4b0138', '\x91e729e1ae1675cb22d589622a877e77', '\xc896d701475368899beb7606f45e4b0b5338146879196069971d5ce668a0b17c620485275e1bc556d3e08a1537c7cfcd66dac9e9b61ca1', '1005', 'nl', 1764997622120000, 1764997622120000, 1764997622120000, 'scheduled', 'reported', 1764997622120000, NULL, 0, NULL, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (2, '\x019af20e69687eb2ba0b0483cac4cf83', '\x91e729e1ae1675cb22d589622a877e77', '\xd7cd63ad08b53179551e5799779cbf97f4b5859cac429daa039d04927e18214e5a82ec0133ca2b4d4139f0064e98d6a0650eda319d4be1', 'T-2', 'en', 1764997622120000, 1764997622120000, 1764997622120000, 'scheduled', 'reported', 1764997622120000, NULL, 0, NULL, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x019af20e696870649a1d690b66160858', '\x6bff21efa9bdf1c194e6af265a7b71a8', '\xa0a2871e454922911ea962d73cf87af0647a3db09be7a85d06aa9b1d099554346657b3693c269d169ea2d7a54b9cebdcdcc769423e57d59efb47', '1008', 'nl', 1764997622120000, 1765256822120000, 1765256822120000, 'scheduled', 'reported', 1764997622120000, NULL, 0, NULL, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x019af20e69687e07b30bc6e8b608174a', '\x6bff21efa9bdf1c194e6af265a7b71a8', '\x025da9af1e45e8648abca377bd1b056a5aed80ca1404d9292dc903266f940252883eb1ad6d893dcac9bc928f5e5b5a60a363e2825cfcd04d05e8', '1009', 'nl', 1764997622120000, 1765256822120000, 1765256822120000, 'scheduled', 'reported', 1764997622120000, NULL, 0, NULL, NULL, NULL, 0);
INSERT INTO public.invitations VALUES (1, '\x019af20e696874d8b931626d4ae87949', '\xff8892dd3f94de72fbf76f14080d1854', '\xb1cb1420d2a1610439319e5aaadabaa702a2bb7cc9fa0e96552c3815a12c981ad8c38d3006988bbe79c648333e061bdf6321d4011f926bb9ef1c91aa86ec', '1010', 'nl', 1764997622120000, 1765256822120000, 1765256822120000, 'scheduled', 'reported', 1764997622120000, NULL, 0, NULL, NULL, NULL, 1);


--
-- Data for Name: key_ring; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.key_ring VALUES (1, '\xa80084a46cea161c85a0ff793355ac5d528104276847f70af23246f984cd626bdf1bb16e1cf1aa58067042e62c6e6a1a1f83de0db1582753fd3d4feaccbbb138c83446b637f8eee4fd1bf0d66584ee143023ec269649e7ae9189665652dfe5fa38f52ac1634b5a41a12804880be3e5939ebb8edda340805b83847d84970d0b91caba0accedc5339834291e48a3e62a744388d1fe731711e9cd7da7370ce231a6dad0c5c163f057c9282e8b1d8fb893ddc689c768526878acda');


--
-- Data for Name: orders; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.orders VALUES (1, '\xa6d6cd850734cca1281e1081eb7da39d', '\x0192f69edfd87d44b0762bba6d04a618', 1730714460120000);
INSERT INTO public.orders VALUES (1, '\x0106c7dd3412313e533b52115ccdd9cf', '\x0192f69edfd87a92837a34a5cfd8da5b', 1730714460120000);
INSERT INTO public.orders VALUES (1, '\x02bb22ade772b44017ff406e633bd20e', '\x0192f69edfd876f38b229fa11a4b9236', 1730714460120000);
INSERT INTO public.orders VALUES (1, '\xc05f98c12425d6e670a6bfb4ee80ccc5', '\x0192f69edfd87ce8ad9f5ba2d7125bc9', 1730714460120000);
INSERT INTO public.orders VALUES (1, '\x0b8bf3c482e79f54487fb7488dd1f59e', '\x0192f69edfd87673849d104ac41dfdcc', 1730714460120000);
INSERT INTO public.orders VALUES (1, '\xebbd23aca77e2fc1b3a677ab9204400c', '\x0192f69edfd876f9a9c3d63303963a92', 1730714460120000);
INSERT INTO public.orders VALUES (1, '\x04a575c1a63d5ad06dee0bac239554f4', '\x0192f69edfd87ff6816f057841181b4f', 1730714460120000);
INSERT INTO public.orders VALUES (1, '\x32131093f369c805059bef0729d0d716', '\x0192f69edfd87270aa670f6008df48ca', 1730714460120000);
INSERT INTO public.orders VALUES (1, '\x8c0d0db774086c586711f31a2511a722', '\x0192f69edfd87f9e89b0d898a2463346', 1730714460120000);
INSERT INTO public.orders VALUES (1, '\xb6b777f260d5d70c925d5cf11d214164', '\x0192f69edfd87ddd8819cd2653c979fc', 1730714460120000);
INSERT INTO public.orders VALUES (1, '\x99634bcb37c4c32bbf935b79c80f752a', '\x0192f69edfd87522830f7362bbffb002', 1730714460120000);
INSERT INTO public.orders VALUES (1, '\x86422a720547cbd5ea9b484e2e3aa883', '\x0192f69edfd874f085f69a4fc64bdf39', 1730714460120000);
INSERT INTO public.orders VALUES (2, '\x135729e05d7d74e8337ffa5e9b84343a', '\x0192f69edfd877568757f65a182808d7', 1730714460120000);
INSERT INTO public.orders VALUES (2, '\x84ba97da37488437052b44d5febf86df', '\x0192f69edfd8709c908a794a750e727f', 1730714460120000);
INSERT INTO public.orders VALUES (2, '\xb45a5d1efa93cf58634e2d4c8fc4b2c4', '\x0192f69edfd87f6c911fed8523902e17', 1730714460120000);
INSERT INTO public.orders VALUES (2, '\xd2e4450111f2e429a6cbab49f19cee7d', '\x0192f69edfd87180af96bb2c2a3d870e', 1730714460120000);
INSERT INTO public.orders VALUES (1, '\x1da72a5bee02915c437a0869daec95a6', '\x0192f69edfd872528ca4b33b86d58287', 1730714460120000);
INSERT INTO public.orders VALUES (1, '\xa88d588c8ea862c960056e27a8db8c27', '\x0192f69edfd87ee38627f128616a5d33', 1730714460120000);
INSERT INTO public.orders VALUES (1, '\xd8fef76969685bf46f277e8c353235e1', '\x0192f69edfd876c494648f43abd1334a', 1730714460120000);
INSERT INTO public.orders VALUES (1, '\x17b8e7295b1b9ddad40ab7bf10eef63b', '\x0192f69edfd87b6ca5aadfddf755726f', 1730714460120000);
INSERT INTO public.orders VALUES (1, '\x783dfbcad79e929f5013726c6f57fa34', '\x0192f69edfd876edbf9722828f69b3ad', 1730714460120000);
INSERT INTO public.orders VALUES (1, '\x3c87083a6e224d271ebe4073147cd677', '\x0192f6d5ce587de2989dd00a23c048b6', 1730718060120000);
INSERT INTO public.orders VALUES (1, '\xccff2673c30559b660ea127ddda230a3', '\x0192f6e38de07fdab0c7f34030adca6d', 1730718961120000);
INSERT INTO public.orders VALUES (1, '\xa3d76e9d961233d895cd2721a8b445b0', '\x0192f6f14d687ab6a8cb25c97fcb3841', 1730719862120000);
INSERT INTO public.orders VALUES (1, '\x4e9c8cb3a8f2388b9727816b0ecfd5b3', '\x0192f735fb7077fbb29ebcd94c4222b1', 1730724363120000);
INSERT INTO public.orders VALUES (1, '\xd2866525126758a1660d277672fcc44b', '\x0192f735fb707109967d643a82a7d48a', 1730724363120000);
INSERT INTO public.orders VALUES (1, '\x888d475dcdc7a1d9b938a2cea6e9d1f6', '\x0192f735fb70770cb3fe6c541ecd5c88', 1730724363120000);
INSERT INTO public.orders VALUES (1, '\x493f411036c3967cebbbf08020088fdc', '\x01930bdd2af871acb19b5dbd7698f603', 1731070864120000);
INSERT INTO public.orders VALUES (1, '\x94cc4c0142fd7c04b767042bd03c5b67', '\x01930bdd2af87ae1b77bf34031385938', 1731070864120000);
INSERT INTO public.orders VALUES (1, '\x07b8512b16df4ef47f4dc06ef83e5ddb', '\x01930bdd2af8726d9cc522112881455d', 1731070864120000);
INSERT INTO public.orders VALUES (2, '\xb064447943d019f26d27600439e2c3c1', '\x01930bdd2af8761ebef715ebd782934a', 1731070864120000);
INSERT INTO public.orders VALUES (1, '\xda3142001b4db93d05177a506dff031a', '\x01930bdd2af874e5a96dec770ba67a00', 1731070864120000);
INSERT INTO public.orders VALUES (1, '\x70283f82388c65aef095de8068f5b02c', '\x01930bdd2af875948ae7f38c7110a7c5', 1731070864120000);
INSERT INTO public.orders VALUES (1, '\x1e1394906293490b7322b2f2b808167b', '\x01930bdd2af87923861ba4020dbf6243', 1731070864120000);
INSERT INTO public.orders VALUES (1, '\xd7b48a8742e4c276780d8ca31cac410b', '\x01930bdd2af87618aa4477636aabe50f', 1731070864120000);
INSERT INTO public.orders VALUES (1, '\x34d4d551252903f866854b1bbffe9f2b', '\x01930bdd2af8778aa57400e9ed75272f', 1731070864120000);
INSERT INTO public.orders VALUES (1, '\xb6fa021c1e2f2915cb42257a0c85cc5c', '\x01930bdd2af876649ee27c642488328c', 1731070864120000);
INSERT INTO public.orders VALUES (1, '\xfdba50f905aed0c03b46baa74407cb70', '\x01930bdd2af87670bf4f645c1a417126', 1731070864120000);
INSERT INTO public.orders VALUES (1, '\x12f82db24e0e848c48784c0335f01210', '\x01930bdd2af873ea9cad9d02b280acce', 1731070864120000);
INSERT INTO public.orders VALUES (1, '\x5843a0495ee2556601d43db33a3b89c0', '\x01930bdd2af8707992b5b4f5b901f8c7', 1731070864120000);
INSERT INTO public.orders VALUES (1, '\xd555fec5faf843c695995e50d8c29952', '\x01930bdd2af870eda5ea65f94965b068', 1731070864120000);
INSERT INTO public.orders VALUES (1, '\xb73e14b4bcb2c036843ff3e12f01f3a5', '\x01930bdd2af87647b27673a8b31fcd26', 1731070864120000);
INSERT INTO public.orders VALUES (1, '\x17ce24e7b08bdebb9d02744e7af8cddf', '\x01930bdd2af87f4fb7fe67d5204f7c8c', 1731070864120000);
INSERT INTO public.orders VALUES (1, '\xd09d58348686b2ad879a851077f785ec', '\x01930bdd2af87f0593e1d38dea7b64c0', 1731070864120000);
INSERT INTO public.orders VALUES (1, '\xb9a54c357aa586489daf6f4efd838c83', '\x01930bdd2af87647976c645e92cd4513', 1731070864120000);
INSERT INTO public.orders VALUES (1, '\x3ed90f902547418f22aca740e6270311', '\x01930bdd2af8716085604fa5cad3cc7b', 1731070864120000);
INSERT INTO public.orders VALUES (1, '\x960fc5279570597fe3eb6630ea22b4a0', '\x01930bdd2af877e1b21f2768c22fb0f2', 1731070864120000);
INSERT INTO public.orders VALUES (1, '\x4e9161c1bcdedf6194e7742f07517b1f', '\x01930bdd2af87c5787e11dbfdda92dc2', 1731070864120000);
INSERT INTO public.orders VALUES (1, '\x1ae707f6b32357a06eb64d459c19a4ee', '\x01930bdd2af8773cb202ba307fb6e7a6', 1731070864120000);
INSERT INTO public.orders VALUES (1, '\x25e73d51bd02c031fe216411e6bf4b11', '\x01930bdd2af873708b8a8c08e8da78aa', 1731070864120000);
INSERT INTO public.orders VALUES (1, '\xa943d7ff37c4e9e3c1ec215449b1c943', '\x01930bdd2af87d58b1c51bde1993ecdf', 1731070864120000);
INSERT INTO public.orders VALUES (1, '\xe2d153789e271b5ad85f08a6acc959da', '\x01930bdd2af871ee876d5cda597c63cd', 1731070864120000);
INSERT INTO public.orders VALUES (1, '\x3fd7715cafb842dc270e9666ccf0b789', '\x01930bdd2af87cb8b5d8141ce6e8aa6a', 1731070864120000);
INSERT INTO public.orders VALUES (1, '\x0b179be916f9b83d4fc496868f1575aa', '\x01930bdd2af87e3cb6097b7333d71b20', 1731070864120000);
INSERT INTO public.orders VALUES (2, '\x5acbb7130afffe9c9875e02ee65c37ed', '\x019935028eb879c3a68e854a7635edf3', 1757530984120000);
INSERT INTO public.orders VALUES (2, '\x8797034ac42631173343a1ead05172dd', '\x019935028eb8719fb60d3367d43b0e63', 1757530984120000);
INSERT INTO public.orders VALUES (1, '\xe213000f8f96872a185d271748539329', '\x019935028eb8794cb051adf20a153c89', 1757530984120000);
INSERT INTO public.orders VALUES (2, '\x16a99b87762c1ef8ef6018879c16b3c9', '\x019935028eb87ddfa07a808e6b06a3d7', 1757530984120000);
INSERT INTO public.orders VALUES (2, '\xe89df5c1d2f7c930c9c348e3e4920219', '\x019935028eb879af92e9b7598e9f8dcc', 1757530984120000);
INSERT INTO public.orders VALUES (1, '\x05a9f1a81b21681ae7fe1fbd23a16f6b', '\x019935028eb878778d5fe2aae52a5d55', 1757530984120000);
INSERT INTO public.orders VALUES (2, '\x6303a9796b006124093462bfa3f092ad', '\x019935028eb874978ad74ced66e2b630', 1757530984120000);
INSERT INTO public.orders VALUES (2, '\x3d4991840cc0c9a5024feb90989e16ab', '\x019935028eb87f04a43d05b2ccea983d', 1757530984120000);
INSERT INTO public.orders VALUES (1, '\x2767b29a8962549252c554c8d11c34b0', '\x019935028eb87155a772af24945afea8', 1757530984120000);
INSERT INTO public.orders VALUES (1, '\xdeaa1b27ef735a09a7d9b5267483c4cc', '\x0199350463787f3685f549a938a3e009', 1757531104120000);
INSERT INTO public.orders VALUES (1, '\x9442d82ec4dfbee25f53c6e89924e299', '\x0199350463787fbcb7825cc1858df2e4', 1757531104120000);
INSERT INTO public.orders VALUES (1, '\x301056c6b1f02361434974fd06f77c88', '\x01993504637874d19a8f34671db7e1e0', 1757531104120000);
INSERT INTO public.orders VALUES (3, '\xa3db4058d48939f1716f444d64207e69', '\x01993504637873d2aa25e32e45f682e5', 1757531104120000);
INSERT INTO public.orders VALUES (1, '\xabe355525ef52a14cc8e20e2560b52f7', '\x019a42f464787131b0077a691589ed42', 1762059904120000);
INSERT INTO public.orders VALUES (1, '\x1fa06194896448b674201112c1baa5f6', '\x019ae2998878765ebafc7376b9ee374f', 1764738304120000);
INSERT INTO public.orders VALUES (1, '\x30b44010850d2017ce78b439e9882111', '\x019ae7bfe4787a10bb1599cfad0579e8', 1764824704120000);
INSERT INTO public.orders VALUES (1, '\xdc9b3343e789edfa232af622ef3afd3e', '\x019aece7bf48797a84efbaf20b5a7e7f', 1764911202120000);
INSERT INTO public.orders VALUES (1, '\x171988b6bcde72f8b35c6b1decd86f3a', '\x019aece7bf48772c89bded4d01fc34bc', 1764911202120000);
INSERT INTO public.orders VALUES (2, '\x6f48157bcffa7311bbb25fee5c7eecd2', '\x019aece7bf48781bb53cbb539c86e9fc', 1764911202120000);
INSERT INTO public.orders VALUES (1, '\x6d042683112ef5a6c3e1de7a23830db0', '\x019aece7bf487f47b7bc8b9a1ebd66bd', 1764911202120000);
INSERT INTO public.orders VALUES (1, '\xfdef8ea70a7e0e604702902128cd8713', '\x019af20e1b487b2cbf48e6d5a7715a58', 1764997602120000);
INSERT INTO public.orders VALUES (1, '\x1dd0e07cfabe0631350b3eae0fd377e6', '\x019af20e1b4872069ff7a6fa64d48df2', 1764997602120000);
INSERT INTO public.orders VALUES (1, '\xc4b9f183739c3448fcfb466e3b35d179', '\x019af20e6968709db51fb21717dbc28f', 1764997622120000);
INSERT INTO public.orders VALUES (1, '\x32b4cb7533ce958d9aff44725aeaa860', '\x019af20e6968709495a23d2dda4b0138', 1764997622120000);
INSERT INTO public.orders VALUES (2, '\x2105352d6b402716fd16dac056a12db7', '\x019af20e69687eb2ba0b0483cac4cf83', 1764997622120000);
INSERT INTO public.orders VALUES (1, '\xad04ffa27ee527eca025536666fb2781', '\x019af20e696870649a1d690b66160858', 1764997622120000);
INSERT INTO public.orders VALUES (1, '\xbaaabfaa00f0d9aac27a61d273c4d0be', '\x019af20e69687e07b30bc6e8b608174a', 1764997622120000);
INSERT INTO public.orders VALUES (1, '\x19e88aade47d1fdb0b832c45dda5229e', '\x019af20e696874d8b931626d4ae87949', 1764997622120000);


--
-- Data for Name: review_changes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.review_changes VALUES (1, '\x01930be393987d39b1f2ec67472054ba', 1, 'written', 'published', NULL, 1731071284120000);
INSERT INTO public.review_changes VALUES (1, '\x01930be9fc387d5a858a9160cff8dad0', 1, 'written', 'published', NULL, 1731071704120000);
INSERT INTO public.review_changes VALUES (1, '\x01930bf064d87466a37ede5592844cac', 1, 'written', 'published', NULL, 1731072124120000);
INSERT INTO public.review_changes VALUES (1, '\x01930bf6cd78709b8d209e8dda862164', 1, 'written', 'published', NULL, 1731072544120000);
INSERT INTO public.review_changes VALUES (1, '\x01930bfd36187c5eb20a70b12a6f4c16', 1, 'written', 'published', NULL, 1731072964120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c039eb87fc5aa7fc451396b380e', 1, 'written', 'published', NULL, 1731073384120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c0a07587a1d9fba62a59c5b460b', 1, 'written', 'published', NULL, 1731073804120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c106ff87503ba35666590682742', 1, 'written', 'published', NULL, 1731074224120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c16d8987a9dba5a60ded7cede9b', 1, 'written', 'published', NULL, 1731074644120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c1d413875dba2b8be15a275f444', 1, 'written', 'published', NULL, 1731075064120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c23a9d879d28f553adc8e7196c0', 1, 'written', 'published', NULL, 1731075484120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c2a1278797d88a65401649cd357', 1, 'written', 'published', NULL, 1731075904120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c307b187d4aaec0da7ae892f202', 1, 'written', 'published', NULL, 1731076324120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c36e3b87881932b0785b40c2f1d', 1, 'written', 'published', NULL, 1731076744120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c3d4c587440a6c38d1b5ea26dea', 1, 'written', 'published', NULL, 1731077164120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c43b4f873b7b08dbf655def7296', 1, 'written', 'published', NULL, 1731077584120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c4a1d987e66b869e3d86fceb84e', 1, 'written', 'published', NULL, 1731078004120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c5086387e2fb2cfe46f318007b1', 1, 'written', 'published', NULL, 1731078424120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c56eed87d7bb025252445d17ac7', 1, 'written', 'published', NULL, 1731078844120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c5d57787975950e5d9a9deb8dd6', 1, 'written', 'published', NULL, 1731079264120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c63c018766795f9338e2b7c253a', 1, 'written', 'published', NULL, 1731079684120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c6a28b874cd9b1ba10f882e9cc2', 1, 'written', 'published', NULL, 1731080104120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c7091587a56a8e260d84c62434d', 1, 'written', 'published', NULL, 1731080524120000);
INSERT INTO public.review_changes VALUES (1, '\x01930be393987d39b1f2ec67472054ba', 2, 'changed', 'published', NULL, 1731084124120000);
INSERT INTO public.review_changes VALUES (1, '\x01930be9fc387d5a858a9160cff8dad0', 2, 'withdrawn', 'withdrawn', NULL, 1731084124120000);
INSERT INTO public.review_changes VALUES (1, '\x01930bf064d87466a37ede5592844cac', 2, 'withdrawn', 'withdrawn', NULL, 1731084124120000);
INSERT INTO public.review_changes VALUES (1, '\x01930bf064d87466a37ede5592844cac', 3, 'written_again', 'published', NULL, 1731084124120000);
INSERT INTO public.review_changes VALUES (1, '\x01930bf6cd78709b8d209e8dda862164', 2, 'hidden', 'hidden', 'unlawful', 1731084184120000);
INSERT INTO public.review_changes VALUES (1, '\x01930bfd36187c5eb20a70b12a6f4c16', 2, 'hidden', 'hidden', 'personal_data', 1731084244120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c039eb87fc5aa7fc451396b380e', 2, 'hidden', 'hidden', 'insult', 1731084304120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c0a07587a1d9fba62a59c5b460b', 2, 'hidden', 'hidden', 'spam', 1731084364120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c106ff87503ba35666590682742', 2, 'hidden', 'hidden', 'not_a_customer', 1731084424120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c16d8987a9dba5a60ded7cede9b', 2, 'hidden', 'hidden', 'other', 1731084484120000);
INSERT INTO public.review_changes VALUES (1, '\x01930bf6cd78709b8d209e8dda862164', 3, 'hidden', 'hidden', 'other', 1731084544120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c1d413875dba2b8be15a275f444', 2, 'hidden', 'hidden', 'insult', 1731084604120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c1d413875dba2b8be15a275f444', 3, 'shown_again', 'published', NULL, 1731084604120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c23a9d879d28f553adc8e7196c0', 2, 'hidden', 'hidden', 'insult', 1731084664120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c23a9d879d28f553adc8e7196c0', 3, 'changed', 'hidden', 'insult', 1731084664120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c2a1278797d88a65401649cd357', 2, 'hidden', 'hidden', 'insult', 1731084724120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c2a1278797d88a65401649cd357', 3, 'withdrawn', 'withdrawn', 'insult', 1731084724120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c307b187d4aaec0da7ae892f202', 2, 'hidden', 'hidden', 'insult', 1731084784120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c307b187d4aaec0da7ae892f202', 3, 'withdrawn', 'withdrawn', 'insult', 1731084784120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c307b187d4aaec0da7ae892f202', 4, 'written_again', 'hidden', 'insult', 1731084784120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c36e3b87881932b0785b40c2f1d', 2, 'replied', 'published', NULL, 1731084844120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c3d4c587440a6c38d1b5ea26dea', 2, 'replied', 'published', NULL, 1731084904120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c3d4c587440a6c38d1b5ea26dea', 3, 'replied', 'published', NULL, 1731084964120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c43b4f873b7b08dbf655def7296', 2, 'replied', 'published', NULL, 1731085024120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c43b4f873b7b08dbf655def7296', 3, 'reply_removed', 'published', NULL, 1731085084120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c4a1d987e66b869e3d86fceb84e', 2, 'replied', 'published', NULL, 1731085144120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c4a1d987e66b869e3d86fceb84e', 3, 'hidden', 'hidden', 'insult', 1731085204120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c4a1d987e66b869e3d86fceb84e', 4, 'reply_removed', 'hidden', 'insult', 1731085264120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c56eed87d7bb025252445d17ac7', 2, 'hidden', 'hidden', 'insult', 1731085324120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c63c018766795f9338e2b7c253a', 2, 'hidden', 'hidden', 'insult', 1731085384120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c5086387e2fb2cfe46f318007b1', 2, 'name_removed', 'published', NULL, 1731085384120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c56eed87d7bb025252445d17ac7', 3, 'name_removed', 'hidden', 'insult', 1731085384120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c5d57787975950e5d9a9deb8dd6', 2, 'erased', 'withdrawn', NULL, 1731085384120000);
INSERT INTO public.review_changes VALUES (1, '\x01930c63c018766795f9338e2b7c253a', 3, 'erased', 'withdrawn', 'insult', 1731085384120000);
INSERT INTO public.review_changes VALUES (1, '\x019a42f464787429be6ef4ba9ac059f2', 1, 'written', 'published', NULL, 1762059904120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 1, 'written', 'published', NULL, 1764738304120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae7bfe4787c77af887ff30949545a', 1, 'written', 'published', NULL, 1764824704120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 2, 'changed', 'published', NULL, 1764911104120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 3, 'changed', 'published', NULL, 1764911105120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 4, 'changed', 'published', NULL, 1764911106120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 5, 'changed', 'published', NULL, 1764911107120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 6, 'changed', 'published', NULL, 1764911108120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 7, 'changed', 'published', NULL, 1764911109120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 8, 'changed', 'published', NULL, 1764911110120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 9, 'changed', 'published', NULL, 1764911111120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 10, 'changed', 'published', NULL, 1764911112120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 11, 'changed', 'published', NULL, 1764911113120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 12, 'changed', 'published', NULL, 1764911114120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 13, 'changed', 'published', NULL, 1764911115120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 14, 'changed', 'published', NULL, 1764911116120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 15, 'changed', 'published', NULL, 1764911117120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 16, 'changed', 'published', NULL, 1764911118120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 17, 'changed', 'published', NULL, 1764911119120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 18, 'changed', 'published', NULL, 1764911120120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 19, 'changed', 'published', NULL, 1764911121120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 20, 'changed', 'published', NULL, 1764911122120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 21, 'changed', 'published', NULL, 1764911123120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 22, 'changed', 'published', NULL, 1764911124120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 23, 'changed', 'published', NULL, 1764911125120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 24, 'changed', 'published', NULL, 1764911126120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 25, 'changed', 'published', NULL, 1764911127120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 26, 'changed', 'published', NULL, 1764911128120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 27, 'changed', 'published', NULL, 1764911129120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 28, 'changed', 'published', NULL, 1764911130120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 29, 'changed', 'published', NULL, 1764911131120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 30, 'changed', 'published', NULL, 1764911132120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 31, 'changed', 'published', NULL, 1764911133120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 32, 'changed', 'published', NULL, 1764911134120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 33, 'changed', 'published', NULL, 1764911135120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 34, 'changed', 'published', NULL, 1764911136120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 35, 'changed', 'published', NULL, 1764911137120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 36, 'changed', 'published', NULL, 1764911138120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 37, 'changed', 'published', NULL, 1764911139120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 38, 'changed', 'published', NULL, 1764911140120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 39, 'changed', 'published', NULL, 1764911141120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 40, 'changed', 'published', NULL, 1764911142120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 41, 'changed', 'published', NULL, 1764911143120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 42, 'changed', 'published', NULL, 1764911144120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 43, 'changed', 'published', NULL, 1764911145120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 44, 'changed', 'published', NULL, 1764911146120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 45, 'changed', 'published', NULL, 1764911147120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 46, 'changed', 'published', NULL, 1764911148120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 47, 'changed', 'published', NULL, 1764911149120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 48, 'changed', 'published', NULL, 1764911150120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 49, 'changed', 'published', NULL, 1764911151120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 50, 'changed', 'published', NULL, 1764911152120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 51, 'changed', 'published', NULL, 1764911153120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 52, 'changed', 'published', NULL, 1764911154120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 53, 'changed', 'published', NULL, 1764911155120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 54, 'changed', 'published', NULL, 1764911156120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 55, 'changed', 'published', NULL, 1764911157120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 56, 'changed', 'published', NULL, 1764911158120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 57, 'changed', 'published', NULL, 1764911159120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 58, 'changed', 'published', NULL, 1764911160120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 59, 'changed', 'published', NULL, 1764911161120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 60, 'changed', 'published', NULL, 1764911162120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 61, 'changed', 'published', NULL, 1764911163120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 62, 'changed', 'published', NULL, 1764911164120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 63, 'changed', 'published', NULL, 1764911165120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 64, 'changed', 'published', NULL, 1764911166120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 65, 'changed', 'published', NULL, 1764911167120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 66, 'changed', 'published', NULL, 1764911168120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 67, 'changed', 'published', NULL, 1764911169120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 68, 'changed', 'published', NULL, 1764911170120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 69, 'changed', 'published', NULL, 1764911171120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 70, 'changed', 'published', NULL, 1764911172120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 71, 'changed', 'published', NULL, 1764911173120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 72, 'changed', 'published', NULL, 1764911174120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 73, 'changed', 'published', NULL, 1764911175120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 74, 'changed', 'published', NULL, 1764911176120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 75, 'changed', 'published', NULL, 1764911177120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 76, 'changed', 'published', NULL, 1764911178120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 77, 'changed', 'published', NULL, 1764911179120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 78, 'changed', 'published', NULL, 1764911180120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 79, 'changed', 'published', NULL, 1764911181120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 80, 'changed', 'published', NULL, 1764911182120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 81, 'changed', 'published', NULL, 1764911183120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 82, 'changed', 'published', NULL, 1764911184120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 83, 'changed', 'published', NULL, 1764911185120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 84, 'changed', 'published', NULL, 1764911186120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 85, 'changed', 'published', NULL, 1764911187120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 86, 'changed', 'published', NULL, 1764911188120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 87, 'changed', 'published', NULL, 1764911189120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 88, 'changed', 'published', NULL, 1764911190120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 89, 'changed', 'published', NULL, 1764911191120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 90, 'changed', 'published', NULL, 1764911192120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 91, 'changed', 'published', NULL, 1764911193120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 92, 'changed', 'published', NULL, 1764911194120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 93, 'changed', 'published', NULL, 1764911195120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 94, 'changed', 'published', NULL, 1764911196120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 95, 'changed', 'published', NULL, 1764911197120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 96, 'changed', 'published', NULL, 1764911198120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 97, 'changed', 'published', NULL, 1764911199120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 98, 'changed', 'published', NULL, 1764911200120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 99, 'changed', 'published', NULL, 1764911201120000);
INSERT INTO public.review_changes VALUES (1, '\x019ae29988787303b3438c11d93cfebf', 100, 'changed', 'published', NULL, 1764911202120000);


--
-- Data for Name: review_figures; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.review_figures VALUES (1, 'day', 739198, 1, 3, 2, 1, 2);
INSERT INTO public.review_figures VALUES (1, 'month', 739191, 1, 3, 2, 1, 2);
INSERT INTO public.review_figures VALUES (1, 'day', 739557, 0, 0, 0, 1, 0);
INSERT INTO public.review_figures VALUES (1, 'month', 739556, 0, 0, 0, 1, 0);
INSERT INTO public.review_figures VALUES (1, 'day', 739588, 0, 0, 1, 0, 0);
INSERT INTO public.review_figures VALUES (1, 'day', 739589, 0, 0, 0, 0, 1);
INSERT INTO public.review_figures VALUES (1, 'month', 739586, 0, 0, 1, 0, 1);


--
-- Data for Name: reviewinvite_migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.reviewinvite_migrations VALUES ('m0001_orders');
INSERT INTO public.reviewinvite_migrations VALUES ('m0002_delivery');
INSERT INTO public.reviewinvite_migrations VALUES ('m0003_snippet');
INSERT INTO public.reviewinvite_migrations VALUES ('m0004_trust_mark');
INSERT INTO public.reviewinvite_migrations VALUES ('m0005_reviews');


--
-- Data for Name: reviews; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.reviews VALUES (1, '\x01930c6a28b874cd9b1ba10f882e9cc2', '\x01930bdd2af87cb8b5d8141ce6e8aa6a', 2, 'Snel geleverd.
Lekker brood! 🍞', NULL, 'nl', 1731080104120000, NULL, 1731080104120000, 'published', NULL, NULL, NULL, 'written', 1);
INSERT INTO public.reviews VALUES (1, '\x01930c7091587a56a8e260d84c62434d', '\x01930bdd2af87e3cb6097b7333d71b20', 3, NULL, 'Anna', 'nl', 1731080524120000, NULL, 1731080524120000, 'published', NULL, NULL, NULL, 'written', 1);
INSERT INTO public.reviews VALUES (1, '\x01930be393987d39b1f2ec67472054ba', '\x01930bdd2af874e5a96dec770ba67a00', 2, 'Toch niet zo lekker.', 'Bert', 'en', 1731071284120000, 1731084124120000, 1731084124120000, 'published', NULL, NULL, NULL, 'changed', 2);
INSERT INTO public.reviews VALUES (1, '\x01930be9fc387d5a858a9160cff8dad0', '\x01930bdd2af875948ae7f38c7110a7c5', NULL, NULL, NULL, 'nl', 1731071704120000, NULL, 1731084124120000, 'withdrawn', NULL, NULL, NULL, 'withdrawn', 2);
INSERT INTO public.reviews VALUES (1, '\x01930bf064d87466a37ede5592844cac', '\x01930bdd2af87923861ba4020dbf6243', 2, 'Toch niet zo lekker.', 'Bert', 'en', 1731072124120000, 1731084124120000, 1731084124120000, 'published', NULL, NULL, NULL, 'written_again', 3);
INSERT INTO public.reviews VALUES (1, '\x01930bfd36187c5eb20a70b12a6f4c16', '\x01930bdd2af8778aa57400e9ed75272f', 5, NULL, 'Anna', 'nl', 1731072964120000, NULL, 1731084244120000, 'hidden', 'personal_data', NULL, NULL, 'hidden', 2);
INSERT INTO public.reviews VALUES (1, '\x01930c039eb87fc5aa7fc451396b380e', '\x01930bdd2af876649ee27c642488328c', 1, 'Snel geleverd.
Lekker brood! 🍞', 'Anna', 'nl', 1731073384120000, NULL, 1731084304120000, 'hidden', 'insult', NULL, NULL, 'hidden', 2);
INSERT INTO public.reviews VALUES (1, '\x01930c0a07587a1d9fba62a59c5b460b', '\x01930bdd2af87670bf4f645c1a417126', 2, NULL, NULL, 'nl', 1731073804120000, NULL, 1731084364120000, 'hidden', 'spam', NULL, NULL, 'hidden', 2);
INSERT INTO public.reviews VALUES (1, '\x01930c106ff87503ba35666590682742', '\x01930bdd2af873ea9cad9d02b280acce', 3, 'Snel geleverd.
Lekker brood! 🍞', 'Anna', 'nl', 1731074224120000, NULL, 1731084424120000, 'hidden', 'not_a_customer', NULL, NULL, 'hidden', 2);
INSERT INTO public.reviews VALUES (1, '\x01930c16d8987a9dba5a60ded7cede9b', '\x01930bdd2af8707992b5b4f5b901f8c7', 4, NULL, 'Anna', 'nl', 1731074644120000, NULL, 1731084484120000, 'hidden', 'other', NULL, NULL, 'hidden', 2);
INSERT INTO public.reviews VALUES (1, '\x01930bf6cd78709b8d209e8dda862164', '\x01930bdd2af87618aa4477636aabe50f', 4, 'Snel geleverd.
Lekker brood! 🍞', NULL, 'nl', 1731072544120000, NULL, 1731084544120000, 'hidden', 'other', NULL, NULL, 'hidden', 3);
INSERT INTO public.reviews VALUES (1, '\x01930c1d413875dba2b8be15a275f444', '\x01930bdd2af870eda5ea65f94965b068', 5, 'Snel geleverd.
Lekker brood! 🍞', NULL, 'nl', 1731075064120000, NULL, 1731084604120000, 'published', NULL, NULL, NULL, 'shown_again', 3);
INSERT INTO public.reviews VALUES (1, '\x01930c23a9d879d28f553adc8e7196c0', '\x01930bdd2af87647b27673a8b31fcd26', 2, 'Toch niet zo lekker.', 'Bert', 'en', 1731075484120000, 1731084664120000, 1731084664120000, 'hidden', 'insult', NULL, NULL, 'changed', 3);
INSERT INTO public.reviews VALUES (1, '\x01930c2a1278797d88a65401649cd357', '\x01930bdd2af87f4fb7fe67d5204f7c8c', NULL, NULL, NULL, 'nl', 1731075904120000, NULL, 1731084724120000, 'withdrawn', 'insult', NULL, NULL, 'withdrawn', 3);
INSERT INTO public.reviews VALUES (1, '\x01930c307b187d4aaec0da7ae892f202', '\x01930bdd2af87f0593e1d38dea7b64c0', 2, 'Toch niet zo lekker.', 'Bert', 'en', 1731076324120000, 1731084784120000, 1731084784120000, 'hidden', 'insult', NULL, NULL, 'written_again', 4);
INSERT INTO public.reviews VALUES (1, '\x01930c36e3b87881932b0785b40c2f1d', '\x01930bdd2af87647976c645e92cd4513', 4, 'Snel geleverd.
Lekker brood! 🍞', 'Anna', 'nl', 1731076744120000, NULL, 1731084844120000, 'published', NULL, 'Hartelijk dank!
Tot ziens.', 1731084844120000, 'replied', 2);
INSERT INTO public.reviews VALUES (1, '\x01930c3d4c587440a6c38d1b5ea26dea', '\x01930bdd2af8716085604fa5cad3cc7b', 5, NULL, 'Anna', 'nl', 1731077164120000, NULL, 1731084964120000, 'published', NULL, 'Nogmaals dank.', 1731084964120000, 'replied', 3);
INSERT INTO public.reviews VALUES (1, '\x01930c43b4f873b7b08dbf655def7296', '\x01930bdd2af877e1b21f2768c22fb0f2', 1, 'Snel geleverd.
Lekker brood! 🍞', NULL, 'nl', 1731077584120000, NULL, 1731085084120000, 'published', NULL, NULL, NULL, 'reply_removed', 3);
INSERT INTO public.reviews VALUES (1, '\x01930c4a1d987e66b869e3d86fceb84e', '\x01930bdd2af87c5787e11dbfdda92dc2', 2, NULL, 'Anna', 'nl', 1731078004120000, NULL, 1731085264120000, 'hidden', 'insult', NULL, NULL, 'reply_removed', 4);
INSERT INTO public.reviews VALUES (1, '\x01930c5086387e2fb2cfe46f318007b1', '\x01930bdd2af8773cb202ba307fb6e7a6', 3, 'Snel geleverd.
Lekker brood! 🍞', NULL, 'nl', 1731078424120000, NULL, 1731085384120000, 'published', NULL, NULL, NULL, 'name_removed', 2);
INSERT INTO public.reviews VALUES (1, '\x01930c56eed87d7bb025252445d17ac7', '\x01930bdd2af873708b8a8c08e8da78aa', 4, NULL, NULL, 'nl', 1731078844120000, NULL, 1731085384120000, 'hidden', 'insult', NULL, NULL, 'name_removed', 3);
INSERT INTO public.reviews VALUES (1, '\x01930c5d57787975950e5d9a9deb8dd6', '\x01930bdd2af87d58b1c51bde1993ecdf', NULL, NULL, NULL, 'nl', 1731079264120000, NULL, 1731085384120000, 'withdrawn', NULL, NULL, NULL, 'erased', 2);
INSERT INTO public.reviews VALUES (1, '\x01930c63c018766795f9338e2b7c253a', '\x01930bdd2af871ee876d5cda597c63cd', NULL, NULL, NULL, 'nl', 1731079684120000, NULL, 1731085384120000, 'withdrawn', 'insult', NULL, NULL, 'erased', 3);
INSERT INTO public.reviews VALUES (1, '\x019a42f464787429be6ef4ba9ac059f2', '\x019a42f464787131b0077a691589ed42', 4, 'Goed', 'Ça va', 'nl', 1762059904120000, NULL, 1762059904120000, 'published', NULL, NULL, NULL, 'written', 1);
INSERT INTO public.reviews VALUES (1, '\x019ae7bfe4787c77af887ff30949545a', '\x019ae7bfe4787a10bb1599cfad0579e8', 5, 'Goed', 'Ça va', 'nl', 1764824704120000, NULL, 1764824704120000, 'published', NULL, NULL, NULL, 'written', 1);
INSERT INTO public.reviews VALUES (1, '\x019ae29988787303b3438c11d93cfebf', '\x019ae2998878765ebafc7376b9ee374f', 3, 'Om 05:06:42 vond ik het matig.', NULL, 'nl', 1764738304120000, 1764911202120000, 1764911202120000, 'published', NULL, NULL, NULL, 'changed', 100);


--
-- Data for Name: shops; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.shops VALUES (4, 'nieuw', 'Nieuw', 'nl', 432000000, 1, NULL, 'absent', 'auto', 'medium', NULL);
INSERT INTO public.shops VALUES (1, 'bakkerij-de-molen', 'Bäckerij De Mólen 🍞', 'nl', 259200000, 1, 'winkel@molen.example', 'granted', 'dark', 'large', 'en');
INSERT INTO public.shops VALUES (3, 'fietsen', 'Fietsen "Oké"', 'nl', 432000000, 0, NULL, 'granted', 'auto', 'medium', NULL);
INSERT INTO public.shops VALUES (2, 'tea-and-more', 'Tea & More', 'en', 43200000, 1, NULL, 'revoked', 'light', 'small', NULL);


--
-- Data for Name: signing_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.signing_keys VALUES ('aSNLTMSdYYtCZLYdYfyenB3Ltqi-NivJN9KFPfUdKs4', '\xe66d4e8776e6172c9d0adbe429a91cafb789a5d00ad26fb2c1060a1f821812ff', NULL, 'retired', 1757005384120000, 1757005384120000, 1757178184120000);
INSERT INTO public.signing_keys VALUES ('6Hj5sjhsnCUWwItzvDTWygfLgeVEm_3LiXxwyXknXVk', '\x8611eb1df467a354d71b3f92c19103bb5e978b77071a24fa10453dc94d62fc34', NULL, 'retired', 1757005384120000, 1757178184120000, 1757350984120000);
INSERT INTO public.signing_keys VALUES ('DNbCcRBE2df_DcGxg9rBC4dJiP3ltWQMKP7lypikoZE', '\x5d16629af88d4b960f78c1e8d554e33a8b0d0c52a1e3171471db78c1a4f27af1', NULL, 'retired', 1757178184120000, 1757350984120000, 1757523784120000);
INSERT INTO public.signing_keys VALUES ('9puWVhvp7mh5TG4CDqRUYFz4KHGTpg1tMuENijdNel8', '\xff6e254e994d451b9e7c779c31d92013c47e981bdc9ff5ca0cccab9f9460ba50', NULL, 'compromised', 1757350984120000, 1757523784120000, 1757523784120000);
INSERT INTO public.signing_keys VALUES ('AcZrnfxcln8WAvJSUXF0I9RBYo83LGnl2FKDcGHqhNo', '\x92c6ebc63cc9f657778476caf5d0edde8f2ae6d62e3e47d95277e7e65c16f860', NULL, 'retired', 1757523784120000, 1757523784120000, 1764997622120000);
INSERT INTO public.signing_keys VALUES ('v-s-nrl0fR0N8KQ9mZNJEJ06it7Z6tgII2p7vqTmLx4', '\x8be0569640ae8ee671990ec29702f335456b5d2067f1ae68820f2b45be46cca9', '\x2ff289f3e586d9137bb4e790da9d34aa81647b1a5ef39c3d235061bddd97e979ebcc78ca54d9653dbb862dcc7b1a8b06ce65dd6d0432b8d872c18578f138fcc9db9aebe7890d7234', 'signing', 1757523784120000, 1764997622120000, NULL);
INSERT INTO public.signing_keys VALUES ('SldiiQRyJcr_GQNlMQEArKlke64Dv68K-H-Vbl61xdQ', '\x6c549d12f0412b0554398f7073b95d26d6b62c1eff1006bea11a872e33d2ad44', '\x2200816432c2f9316dfb42968c3198e92b9e262f043ce2d32d14beef9b502aa21ca8f48036949ed9ee8699dc4e56edb66b1fc6ad49b8bd24ce1c2fd7929c757560d40af2904a8e5e', 'announced', 1764997622120000, NULL, NULL);


--
-- Data for Name: suppressions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.suppressions VALUES (2, '\xbb812752077d5cd55cfd8e3d121546f8', 'customer', 1757530984120000);
INSERT INTO public.suppressions VALUES (2, '\x091752030bab1a66e2e3b90ba51a258e', 'customer', 1757531044120000);
INSERT INTO public.suppressions VALUES (1, '\xc0c0c16e965f0582667ca67cd25c879f', 'operator', 1757531104120000);
INSERT INTO public.suppressions VALUES (1, '\xbb812752077d5cd55cfd8e3d121546f8', 'operator', 1757531104120000);


--
-- Data for Name: suppressions_everywhere; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.suppressions_everywhere VALUES ('\x569b9905b26b14458142e572431c8fbc', 'operator', 1730714460120000);
INSERT INTO public.suppressions_everywhere VALUES ('\xaa2e2c79f0d23a993024cf5b268a5e49', 'customer', 1757531044120000);
INSERT INTO public.suppressions_everywhere VALUES ('\xf24d231c8964145bd34485f07cf718e8', 'operator', 1757531104120000);


--
-- Name: admissions admissions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.admissions
    ADD CONSTRAINT admissions_pkey PRIMARY KEY (shop, subject, seq);


--
-- Name: api_keys api_keys_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_hash_key UNIQUE (hash);


--
-- Name: api_keys api_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (key_id);


--
-- Name: changes changes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.changes
    ADD CONSTRAINT changes_pkey PRIMARY KEY (shop, invite_id, seq);


--
-- Name: day_tallies day_tallies_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.day_tallies
    ADD CONSTRAINT day_tallies_pkey PRIMARY KEY (shop, subject, day);


--
-- Name: domains domains_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.domains
    ADD CONSTRAINT domains_pkey PRIMARY KEY (shop, host);


--
-- Name: hosts hosts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.hosts
    ADD CONSTRAINT hosts_pkey PRIMARY KEY (host);


--
-- Name: invitations invitations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (shop, invite_id);


--
-- Name: key_ring key_ring_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.key_ring
    ADD CONSTRAINT key_ring_pkey PRIMARY KEY (id);


--
-- Name: orders orders_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (shop, dedup_hash);


--
-- Name: review_changes review_changes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.review_changes
    ADD CONSTRAINT review_changes_pkey PRIMARY KEY (shop, review_id, seq);


--
-- Name: review_figures review_figures_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.review_figures
    ADD CONSTRAINT review_figures_pkey PRIMARY KEY (shop, span, first_day);


--
-- Name: reviewinvite_migrations reviewinvite_migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.reviewinvite_migrations
    ADD CONSTRAINT reviewinvite_migrations_pkey PRIMARY KEY (name);


--
-- Name: reviews reviews_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.reviews
    ADD CONSTRAINT reviews_pkey PRIMARY KEY (shop, review_id);


--
-- Name: reviews reviews_shop_invite_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.reviews
    ADD CONSTRAINT reviews_shop_invite_id_key UNIQUE (shop, invite_id);


--
-- Name: shops shops_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.shops
    ADD CONSTRAINT shops_pkey PRIMARY KEY (number);


--
-- Name: shops shops_site_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.shops
    ADD CONSTRAINT shops_site_id_key UNIQUE (site_id);


--
-- Name: signing_keys signing_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (key_id);


--
-- Name: suppressions_everywhere suppressions_everywhere_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.suppressions_everywhere
    ADD CONSTRAINT suppressions_everywhere_pkey PRIMARY KEY (address_hash);


--
-- Name: suppressions suppressions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.suppressions
    ADD CONSTRAINT suppressions_pkey PRIMARY KEY (shop, address_hash);


--
-- Name: admissions_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX admissions_by_time ON public.admissions USING btree (admitted_at);


--
-- Name: domains_verified; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX domains_verified ON public.domains USING btree (host) WHERE (verified_at IS NOT NULL);


--
-- Name: invitations_by_address; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX invitations_by_address ON public.invitations USING btree (shop, address_hash);


--
-- Name: invitations_by_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX invitations_by_order ON public.invitations USING btree (shop, order_number, invite_id) WHERE (order_number IS NOT NULL);


--
-- Name: invitations_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX invitations_due ON public.invitations USING btree (due_at) WHERE (state = 'scheduled'::text);


--
-- Name: invitations_held; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX invitations_held ON public.invitations USING btree (lease_until) WHERE (state = ANY (ARRAY['claimed'::text, 'handing_over'::text]));


--
-- Name: invitations_to_erase; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX invitations_to_erase ON public.invitations USING btree (scheduled_for) WHERE (sealed_address IS NOT NULL);


--
-- Name: invitations_uncertain; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX invitations_uncertain ON public.invitations USING btree (changed_at) WHERE (state = 'uncertain'::text);


--
-- Name: reviews_changed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX reviews_changed ON public.reviews USING btree (shop, changed_at, review_id);


--
-- Name: reviews_published; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX reviews_published ON public.reviews USING btree (shop, written_at, review_id) WHERE (state = 'published'::text);


--
-- Name: signing_keys_signing; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX signing_keys_signing ON public.signing_keys USING btree (state) WHERE (state = 'signing'::text);


--
-- Name: api_keys api_keys_shop_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_shop_fkey FOREIGN KEY (shop) REFERENCES public.shops(number);


--
-- Name: domains domains_shop_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.domains
    ADD CONSTRAINT domains_shop_fkey FOREIGN KEY (shop) REFERENCES public.shops(number);


--
-- Name: invitations invitations_shop_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_shop_fkey FOREIGN KEY (shop) REFERENCES public.shops(number);


--
-- Name: reviews reviews_shop_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.reviews
    ADD CONSTRAINT reviews_shop_fkey FOREIGN KEY (shop) REFERENCES public.shops(number);


--
-- PostgreSQL database dump complete
--


