"""The original recursions in mpmath, at any precision."""
