"""The devices of a robot, one module each: what it has beside its wheels and its sonars."""
