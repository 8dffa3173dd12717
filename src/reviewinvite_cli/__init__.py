"""The command line `reviewinvite`, for operators. Spec: §1, Managing the service."""
