"""What is wrong, found by watching: sonars, packets, wheels."""
