"""What the robot's packets tell, in SI units."""
