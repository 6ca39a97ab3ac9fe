"""Theorems in ball arithmetic: what a formal law leaves open, with constants that are proved.

A ball (Arb, by python-flint) is a midpoint and a radius; every operation returns a ball that holds all values that
the operands can have.  The folder knows recursions as formulas and exact coefficients, and no networks.

    arithmetic, programs, expression     precision and rounding; a formula as one program, with a proof of analyticity
    moments                              Gaussian expectations of an activation; q and sigma_w as solutions of equations
    disc, models, kernel, breaks, kinks  maps in a disc or on an interval: formulas, smooth activations, breakpoints
    abel, koenigs, linear, inversion     the parabolic and the hyperbolic theorem, linear recursions, t_l from l
    orbit, flows                         the recursion itself from all starts of an interval; steps that fall
    printed, laws, theorem, geometric    the kinds of laws, and from the theorems to the bound of what is printed
    numbers                              values and constants of one start
"""
