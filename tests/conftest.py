"""What all tests share."""

from hypothesis import HealthCheck, settings

# how long an example takes says how busy the machine is, and nothing about the code
settings.register_profile("reviewinvite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("reviewinvite")
