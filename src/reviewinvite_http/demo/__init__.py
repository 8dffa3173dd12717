"""The demo: a shop with its pages, its customers' inbox and a year behind it, on this machine only.

`reviewinvite demo` runs it. Nothing here is part of the service, and `create_app` knows nothing of it.
"""
