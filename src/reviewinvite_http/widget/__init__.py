"""Scripts for shops' pages: the badge, and the snippet that reports orders. Spec: §4.2, §4.3."""
