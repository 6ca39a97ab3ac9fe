"""Linear recurrences in the layer, with log-power coefficients: a_l = lambda_l a_(l-1) + b_l.

Why a second solver.  In u = 1/l this is the linear recursion along the flow u' = u/(1 + u), and
`coordinates.abel_linear` solves those along every parabolic flow.  Where both apply they give the same P and H; they
share no step, and the tests hold the one against the other.  What one does the other cannot:

                        along a flow (`coordinates.abel_linear`)     in the layer (this package)
    one layer           t' = t (1 + e(t)), e any power series        l - 1 alone
    lambda, b           power series in t                            also log(l)^j; alpha may be a symbol
    unknown of an order one number; the row of t^k is a power of     a polynomial in log l, from the highest power down
                        1 + e that Abel's function has needed too    (`elimination`)
    logs                log t once, at the resonance, times H        one more at every resonance
    H                   t^h, h rational, or forgotten                lambda_0^l exp(E(l)) (1 + ...), E with roots and
                                                                     logs (`homogeneous`)
    how far             as many orders as e has                      order by order, until there are enough terms, the
                                                                     sum ends, or a remainder hides the rest (`solver`)

One solver for both would shift t^s q(log t) by rows of (1 + e)^s log(1 + e)^i for every i that occurs, and so give up
the closed recurrence of these rows here and the rows shared with Abel's function there.

Both work over the exact fields of `expansions.fields` and over mpmath numbers, and both are coordinates that
`evaluation` asks for values and constants.
"""
