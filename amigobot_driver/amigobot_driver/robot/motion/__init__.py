"""Requested motion: velocities and goals, and the limits of both."""
