"""Theorems in ball arithmetic: what a formal law leaves open, with constants that are proved.

A ball (Arb, by python-flint) is a midpoint and a radius; every operation returns a ball that holds all values that
the operands can have.  The folder knows recursions as formulas and exact coefficients, and no networks.

    arithmetic   precision, bounds, decimal numbers rounded outward
    programs     a SymPy formula as a list of instructions, and what these are run on
    expression   a SymPy formula as one program for balls, power series and circles, with a proof of analyticity
    strip        a formula on a strip about the real line: analytic there, with a bound
    moments      Gaussian expectations of an activation and its derivatives
    parameters   balls for numbers that are solutions of equations: q and sigma_w of a layer
    disc         a map near its fixed point: exact structure, series, circle
    models       Taylor models on an interval: the same for maps that are analytic in no disc
    kernel       the correlation map of a smooth activation without closed form
    breaks       an activation between and beside its breakpoints
    kinks        the correlation map of an activation with breakpoints
    abel         the parabolic theorem: A(t_l) = l + C with a bound
    orbit        the original recursion in balls, from one start or an interval of them
    inversion    t_l as an analytic function of l^(-1/m) and log l, with its tail
    linear       a' = lambda a + b along the orbit
    koenigs      the hyperbolic theorem, and linear recursions along its orbits
    flows        steps that fall with the layer: T(x_l) = clock(l) + C with a bound, linear recursions, laws
    geometric    from the hyperbolic theorem to the bound of a printed law
    theorem      from the parabolic one
    numbers      values and constants of one start
    printed      what all laws have that are to be proved
    laws         the kinds of them
"""
