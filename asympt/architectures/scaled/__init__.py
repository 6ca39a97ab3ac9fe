"""Residual networks whose branches are scaled down with depth."""
