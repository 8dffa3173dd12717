"""The composition root: the settings, and the parts from which an application is built."""
