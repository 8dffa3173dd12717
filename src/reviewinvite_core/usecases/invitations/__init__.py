"""List, show, cancel and resolve invitations."""
