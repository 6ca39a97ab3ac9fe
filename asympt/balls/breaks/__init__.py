"""Activations with breakpoints: what lies between them, and what they add to a correlation map."""
