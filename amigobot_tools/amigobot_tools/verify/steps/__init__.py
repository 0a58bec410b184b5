"""The steps of the acceptance test, one module for each part of the robot."""
