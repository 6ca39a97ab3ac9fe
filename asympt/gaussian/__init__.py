"""Gaussian expectations E[phi(U) phi(V)]: the Price expansion, closed forms, quadrature."""
