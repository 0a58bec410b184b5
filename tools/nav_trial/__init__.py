"""Sends a simulated robot to many random goals with the real Nav2, and measures success, touches and clearance.

    ./run python -m tools.nav_trial --goals 50 --seed 1 --robot p3at --output /tmp/trial

Needs a ROS 2 with Nav2. The node, Nav2 and the launch file are the real ones. The driver's two threads are replaced by
one that runs driver and simulator on one simulated clock, which is published on /clock and waits for a controller that
is late: the result hardly depends on how busy the machine is, and time may run faster than the wall clock.
"""
