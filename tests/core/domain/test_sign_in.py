"""The secrets of links and sessions, and how devices are described."""

from __future__ import annotations

from hypothesis import given, strategies as st

from reviewinvite_core.domain.sign_in import LONGEST_DEVICE, SECRET_BYTES, SignInSecret, to_device

entropies = st.binary(min_size=SECRET_BYTES, max_size=SECRET_BYTES)


@given(entropies)
def test_a_secret_is_read_back_and_shown_to_nobody(entropy: bytes) -> None:
    secret = SignInSecret.make(entropy)
    assert SignInSecret.parse(secret.text) == secret
    assert len(secret.text) == 43
    assert secret.text not in repr(secret) + str(secret)
    assert secret.text.encode() not in secret.hash


@given(entropies, entropies)
def test_all_of_the_entropy_is_in_a_secret(one: bytes, other: bytes) -> None:
    assert (SignInSecret.make(one) == SignInSecret.make(other)) == (one == other)
    assert (SignInSecret.make(one).hash == SignInSecret.make(other).hash) == (one == other)


@given(st.text())
def test_other_texts_are_no_secrets(text: str) -> None:
    secret = SignInSecret.parse(text)
    assert secret is None or (secret.text == text and len(text) == 43 and text.isascii())


@given(st.text())
def test_a_device_is_described_on_one_line_that_a_mail_can_show(text: str) -> None:
    device = to_device(text)
    assert len(device) <= LONGEST_DEVICE
    assert device.isprintable()
    assert to_device(device) == device.strip()
