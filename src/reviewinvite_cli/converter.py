"""Conversion of values to what `--json` prints, and of import lines to values; hooks shared with HTTP are in the core.

cattrs is imported with the first JSON that a command reads or prints.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cattrs import Converter


def as_json(value: object) -> Any:
    """Return `value` as JSON types."""
    return converter().unstructure(value)


@cache
def converter() -> Converter:
    """Return the command line's converter. It leaves out empty histories, which were not asked for."""
    from reviewinvite_cli.order_lines import AcceptedLine, RefusedLine
    from reviewinvite_core.admin import CopyReport, Difference
    from reviewinvite_core.domain.embedding import BadgeEmbed
    from reviewinvite_core.values import (
        AddedMember,
        ApiKey,
        DayOfSnippets,
        DayOfViews,
        Domain,
        InvitationRecord,
        MemberLink,
        MemberRecord,
        NewKey,
        Notice,
        ReviewChange,
        ReviewRecord,
        Shop,
        SigningKey,
        SuppressionRecord,
    )
    from reviewinvite_core.wire.json_converter import REVIEW, json_converter, shape

    made = json_converter()
    made.register_unstructure_hook(bytes, bytes.hex)
    shape(made, AcceptedLine, "line", "invite_id", "duplicate")
    shape(made, ApiKey, "key_id", "last_four", "label", "created_at", "revoked_at")
    shape(made, BadgeEmbed, "site_id", "tag", "policy", tag="html", policy="contentSecurityPolicy")
    shape(made, CopyReport, "rows", "written", "differences")
    shape(
        made,
        DayOfSnippets,
        "counted",
        "limit",
        "wrong_signatures",
        counted="snippetsToday",
        limit="snippetsPerDay",
        wrong_signatures="wrongSignaturesToday",
    )
    shape(made, DayOfViews, "counted", "limit", counted="viewsToday", limit="viewsPerDay")
    shape(made, Difference, "table", "key", "what")
    shape(
        made,
        Domain,
        "host",
        "status",
        "verified",
        "record_name",
        "well_known_url",
        "proof",
        "added_at",
        "verified_at",
        "checked_at",
        "missing_since",
        "lost_at",
        "reason",
        status="standing",
        record_name="txtName",
        well_known_url="fileUrl",
    )
    shape(
        made,
        InvitationRecord,
        "invitation.invite_id",
        "shop.site_id",
        "invitation.order_number",
        "invitation.source",
        "invitation.provenance.key_id",
        "invitation.confirmed",
        "invitation.language",
        "invitation.state",
        "invitation.reason",
        "invitation.reply",
        "invitation.attempts",
        "invitation.reported_at",
        "invitation.scheduled_for",
        "invitation.due_at",
        "invitation.changed_at",
        "history",
        omit_if_false=("history",),
    )
    for link in (AddedMember, MemberLink):
        shape(made, link, "link", "member.member_id", "member.email", "member.role", link="url")
    shape(made, MemberRecord, "member_id", "email", "role", "language", "created_at", "signed_in_at")
    shape(made, NewKey, "api_key.key_id", "secret.text", text="key")
    shape(
        made,
        Notice,
        "message_id",
        "kind",
        "language",
        "state",
        "reason",
        "reply",
        "attempts",
        "queued_at",
        "expires_at",
        "changed_at",
    )
    shape(made, RefusedLine, "line", "field", "problem")
    shape(made, ReviewChange, "act", "act.by", "state", "hidden_for", "at")
    shape(made, ReviewRecord, "review.review_id", "shop.site_id", *REVIEW, "history", omit_if_false=("history",))
    shape(
        made,
        Shop,
        "site_id",
        "name",
        "active",
        "language",
        "delay",
        "reply_to",
        "trust_mark",
        "frequency_days",
        "snippet",
    )
    shape(made, SigningKey, "key_id", "state", "announced_at", "signing_since", "ended_at")
    shape(
        made,
        SuppressionRecord,
        "suppression.short_hash",
        "shop.site_id",
        "suppression.by",
        "suppression.suppressed_at",
        "suppression.expires_at",
        omit_if_false=("expires_at",),
        short_hash="addressHash",
        by="origin",
    )
    return made
