"""The e-mail of a sign-in link that was asked for, and the browser that asked: links count as mail servers took them.

Links from before have neither, so none of them counts. They expire within 15 minutes.
"""

STATEMENTS = (
    "ALTER TABLE sign_in_links ADD COLUMN message_id {blob}",
    "ALTER TABLE sign_in_links ADD COLUMN device_hash {blob}",
)
