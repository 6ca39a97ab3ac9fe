"""Width against depth: fluctuations and mean shifts of order 1/n of kernels and NTKs, and their laws in the depth."""
