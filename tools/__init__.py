"""Helpers around the packages: set-up, demo, bags. Nothing here is installed with the driver."""
