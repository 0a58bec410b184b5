"""What the wheels are wanted to do, and what may be wanted of them."""
