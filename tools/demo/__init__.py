"""`make demo`: a simulated robot drives through a room under ROS 2, and what happened is measured and drawn.

    simulator --pty--> amigobot_node --DDS--> driver (publishes cmd_vel)
                                     --DDS--> recorder (tools.bag)

Each is a process of its own, `stage` starts and ends them. Nothing that is reported comes from the process that
drove: `recording` reads the bag and the simulator's log, `checks` judges, `summary` and `picture` show it.
"""
