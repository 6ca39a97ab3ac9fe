"""The parts of `kernels`: reading an activation, the Gaussian machine, its two arithmetics, names and sources."""
