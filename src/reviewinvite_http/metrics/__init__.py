"""Metrics for Prometheus: counted in memory, and answered from there."""
