"""The ROS 2 side: the only place that knows rclpy. It converts, publishes and passes wishes on; it decides nothing."""
