"""Gaussian expectations E[phi(U) phi(V)]: the ladder, closed forms, quadrature."""
