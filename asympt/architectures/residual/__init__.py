"""Residual networks: variances that grow, and what they do to the kernels."""
