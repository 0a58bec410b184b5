"""Reads parameter files of other drivers for these robots: p2os, RosAria, rosaria2, Player and ARIA."""
