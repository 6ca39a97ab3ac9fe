"""Architectures: one file each, stating the layer and the laws that follow."""

from asympt.networks.feedforward import FeedForward

__all__ = ["FeedForward"]
