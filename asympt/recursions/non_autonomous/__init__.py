"""Recursions whose step size depends on the layer."""
