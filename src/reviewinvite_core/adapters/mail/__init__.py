"""Render invitations as e-mails, and hand the e-mails over."""
