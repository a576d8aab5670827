"""Bytes to model and back, pure: every reader here takes hostile input and returns or raises."""
