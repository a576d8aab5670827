"""Configuration that gives an agent power, or takes the user's say away."""
