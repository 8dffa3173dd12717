"""Test support for embedders: a clock, entropy and values, a mail server, and the suite that a mailer must pass.

Install pytest, then inherit `mailer_contract.MailerContract` and supply your mailer as a fixture; each inherited test
is a sentence about the port. For pytest's explanations of failed assertions, put
`pytest.register_assert_rewrite("reviewinvite_core.testing")` in your `conftest.py`.

`builders` and `smtp_server` do not need pytest. Importing `reviewinvite_core` imports nothing of this package.
"""
