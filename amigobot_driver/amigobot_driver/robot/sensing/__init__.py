"""The values of the robot's packets in SI units."""
