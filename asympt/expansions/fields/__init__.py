"""Exact fields: the smallest that holds given constants, decisions in it, fast arithmetic."""
