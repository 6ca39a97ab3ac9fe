"""One layer of an infinitely wide network, stated once, as data.

Problem.  Three engines (exact series, mpmath, NumPy) move the same quantities through a layer.
If each wrote the layer down for itself, they would drift apart; so each reads this statement.

Statement.  For a ReLU-like activation with slopes a+ (x > 0) and a- (x < 0), write

    chi   = sigma_w^2 (a+^2 + a-^2) / 2          gain of the variance
    kappa = (a+ - a-)^2 / (2 (a+^2 + a-^2))      weight of |x| in the activation, in [0, 1]
    f(c)  = (1 - kappa) c + kappa f_abs(c),      f_abs the correlation map of |x| (an even function)
    f'(c) = (1 - kappa) + kappa f_abs'(c).

One layer takes the variances q, q' of two inputs, their covariance s = c sqrt(q q') and the NTK K to

    q   ->  sigma_b^2 + chi q
    s   ->  sigma_b^2 + chi sqrt(q q') f(c)
    K   ->  chi f'(c) K + (the new s)            (HDR Lemma 2, after Jacot et al., Theorem 1)

Layer 1 holds the data of the first preactivations: q, c and K = s.
"""

from dataclasses import dataclass

from sympy import Expr, simplify

from asympt.meanfield.activations import Activation


@dataclass(frozen=True)
class Layer:
    """A dense layer with independent weights N(0, sigma_w^2/n) and biases N(0, sigma_b^2).

    `activation` must be ReLU-like; `weight_variance` is sigma_w^2 and `bias_variance` sigma_b^2,
    both exact SymPy numbers.
    """

    activation: Activation
    weight_variance: Expr
    bias_variance: Expr

    @property
    def gain(self) -> Expr:
        """chi = sigma_w^2 E[phi'(Z)^2], the slope of the variance map; 1 on the Edge of Chaos."""
        return self.weight_variance * self.activation.second_moment

    @property
    def is_critical(self) -> bool:
        """Whether chi is exactly 1."""
        return self.gain == 1 or simplify(self.gain - 1) == 0

    @property
    def fold(self) -> Expr:
        """kappa, the weight of |x| in the activation: 0 linear, 1/2 ReLU, 1 absolute value."""
        return self.activation.fold

    @property
    def unfolded(self) -> Expr:
        """1 - kappa = (a+ + a-)^2 / (2 (a+^2 + a-^2)), given apart because 1 - kappa may cancel."""
        return self.activation.unfolded
