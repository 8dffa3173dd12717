"""Rendering of invitations as e-mails, and delivery of the e-mails."""
