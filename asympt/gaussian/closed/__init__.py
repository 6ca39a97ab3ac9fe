"""The parts of `closed_forms`: reading an activation, the Gaussian machine, its two arithmetics, names and sources."""
