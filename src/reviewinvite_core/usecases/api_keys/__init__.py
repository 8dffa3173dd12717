"""Make and revoke API keys, authenticate callers, and keep their limits."""

from reviewinvite_core.usecases.api_keys.authentication import act_for as act_for, authenticate as authenticate
from reviewinvite_core.usecases.api_keys.create import create_key as create_key
from reviewinvite_core.usecases.api_keys.list import list_keys as list_keys
from reviewinvite_core.usecases.api_keys.merchant_api import (
    receive_cancellation as receive_cancellation,
    receive_reply as receive_reply,
    serve_invitation as serve_invitation,
    serve_invitations as serve_invitations,
    serve_reviews as serve_reviews,
)
from reviewinvite_core.usecases.api_keys.revoke import revoke_key as revoke_key
