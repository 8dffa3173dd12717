"""Publish, rotate and revoke the keys that sign statements."""

from reviewinvite_core.usecases.signing_keys.key_set import (
    current_keys as current_keys,
    published_keys as published_keys,
)
from reviewinvite_core.usecases.signing_keys.list import list_keys as list_keys
from reviewinvite_core.usecases.signing_keys.revoke import revoke_key as revoke_key
from reviewinvite_core.usecases.signing_keys.rotate import rotate as rotate, rotate_now as rotate_now
