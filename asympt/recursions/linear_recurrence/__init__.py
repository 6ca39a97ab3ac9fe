"""Linear recurrences in the layer, with log-power coefficients: a_l = lambda_l a_(l-1) + b_l.

    elimination   P and H order by order, over any field         coordinate   both in numbers, at any depth
    solver        as expansions with a remainder                 solution     what the user asks and reads

In u = 1/l this is the linear recursion along the flow u' = u/(1 + u), and `coordinates.abel_linear` solves those along
every parabolic flow, with power series in t and one log at most.  Here one layer is l - 1 alone, but lambda and b have
logs, alpha may be a symbol, and H has exponential factors.  Where both apply they agree, which the tests see.
"""
