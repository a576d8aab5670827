"""What we keep: the library that people see, the immutable trees, and the records of both."""
