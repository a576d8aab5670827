"""What a user can do, one verb a module: gather, decide, apply, and return an `Outcome`."""
