"""Implementations of the ports; specific technologies are named here."""
