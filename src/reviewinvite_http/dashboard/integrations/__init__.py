"""What connects a shop's own site with the service: API keys, domains, snippet, programs and badge. Spec: §10.5."""
