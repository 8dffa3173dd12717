"""Make and revoke API keys, authenticate callers, and admit calls within their limits."""

from reviewinvite_core.usecases.api_keys.authentication import act_for as act_for, authenticate as authenticate
from reviewinvite_core.usecases.api_keys.create import create_key as create_key
from reviewinvite_core.usecases.api_keys.list import list_keys as list_keys
from reviewinvite_core.usecases.api_keys.revoke import revoke_key as revoke_key
