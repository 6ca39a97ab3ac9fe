"""Gaussian expectations by quadrature, on the line and in the plane."""
