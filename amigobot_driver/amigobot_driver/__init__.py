"""ROS 2 driver for the ActivMedia AmigoBot and its relatives."""
