"""Monitors that detect faults of sonars, link and wheels."""
