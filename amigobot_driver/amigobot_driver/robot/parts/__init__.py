"""Settings and devices: each asks for something, hears the answer and asks again."""
