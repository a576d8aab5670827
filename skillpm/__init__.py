"""A package manager for AI agents' skills."""

__version__ = "0.1.0"
