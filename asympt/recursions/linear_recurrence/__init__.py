"""Linear recurrences in the layer, with log-power coefficients: a_l = lambda_l a_(l-1) + b_l."""
