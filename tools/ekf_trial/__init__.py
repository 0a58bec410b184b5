"""Measures robot_localization with our ekf.yaml against the truth of the simulator.

    python -m tools.ekf_trial --runs 20

Needs the real `ekf_node`, so a ROS 2 with robot_localization. The drives are made by the driver's core and the
simulated robot on one simulated clock, and played to the filter many times faster than they happened.
"""
