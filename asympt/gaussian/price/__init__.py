"""The Price expansion of E[phi(U) phi(V)] at c = 1."""
