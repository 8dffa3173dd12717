"""A web shop: orders by Django's ORM, invitations by reviewinvite."""
