"""Metrics for Prometheus: counted in memory, and answered from there."""

from reviewinvite_http.metrics.metrics import Metrics as Metrics, metrics_for as metrics_for
