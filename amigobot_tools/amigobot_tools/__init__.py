"""Verbs of the `amigobot` command that need more than the driver does: full-screen views and tools for driving."""
