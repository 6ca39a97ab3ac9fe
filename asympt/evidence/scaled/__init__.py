"""The laws of scaled residual networks, whose branches become weaker with depth."""
