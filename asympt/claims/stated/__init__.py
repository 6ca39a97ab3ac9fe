"""Statements written once: from one object the formula that a reader sees and the check that decides it."""
