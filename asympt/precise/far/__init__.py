"""Gaussian moments of an activation seen from far away: its straight lines in closed form, the rest by quadrature."""
