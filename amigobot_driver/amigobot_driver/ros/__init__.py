"""The ROS 2 side, the only package that imports rclpy: converts, publishes, and passes requests to the core."""
