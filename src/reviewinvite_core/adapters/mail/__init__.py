"""How invitations become e-mails, and who takes them."""
