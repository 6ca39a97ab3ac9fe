r"""Claims of the slides on Tirer, Bruna and Giryes (TBG), "Kernel-Based Smoothness Analysis of Residual Networks":
closed forms, training, bounds on slopes, and smoothness.  Their recursions are refereed by random networks elsewhere.
"""

from sympy import Expr, Symbol, symbols

from asympt.claims.claim import Claim
from asympt.claims.forms import vanishes
from asympt.claims.tbg import finite, fits, training
from asympt.evidence.check import Verification


def measure() -> Verification:
    """TBG.mu = |f_Gauss|/|f|, for f in the Hilbert space H of the Gaussian kernel, in letters that do not commute.

    There are any number of training points and of further centres.  The kernel matrix is [[A, B'], [B, D]], the
    coefficients are c on the training points and e on the other centres; a letter with a prime is a transpose.  A is
    invertible and the whole matrix positive definite.
    """
    a, inverse, b, bt, d, c, ct, e, et = symbols("A Ai B B' D c c' e e'", commutative=False)
    scale = Symbol("s", positive=True)

    def squares(c, ct, e, et):
        """|f|^2 and |f_Gauss|^2 = t' A^-1 t with t = A c + B' e."""
        norm = ct * a * c + ct * bt * e + et * b * c + et * d * e
        least = (ct * a + et * b) * inverse * (a * c + bt * e)
        return norm.expand(), _reduced(least, a, inverse)

    norm, least = squares(c, ct, e, et)
    schur = d - b * inverse * bt
    up, upt = -inverse * bt * e, -et * b * inverse  # the coefficients that make the whole form the Schur complement's
    whole = _reduced(upt * a * up + upt * bt * e + et * b * up + et * d * e, a, inverse)
    both = squares(scale * c, scale * ct, scale * e, scale * et)
    checks = (
        vanishes("$|f|^2 - |f_Gauss|^2$ minus $e' (D - B A^-1 B') e$", (norm - least - et * schur * e).expand(),
                 "0 when f has no centre outside the training set"),
        vanishes("$e' (D - B A^-1 B') e$ minus the whole form at $(-A^-1 B' e, e)$", (whole - et * schur * e).expand(),
                 "positive for e != 0, so mu <= 1 with equality for f = f_Gauss alone"),
        vanishes("$|s f|^2 - s^2 |f|^2$ and the same of $f_Gauss$",
                 [(new - scale**2 * old).expand() for new, old in zip(both, (norm, least), strict=True)],
                 "f_Gauss depends on the data alone, so mu decreases with |f|; and mu(s f) = mu(f)"),
    )  # fmt: skip
    return Verification("mu(s f) = mu(f), mu decreases with |f|, mu <= 1 for f in H", checks)


def _reduced(form: Expr, matrix: Expr, inverse: Expr) -> Expr:
    """With A A^-1 = A^-1 A = 1."""
    return form.expand().subs(inverse * matrix, 1).subs(matrix * inverse, 1).expand()


CLAIMS = (
    Claim(
        "TBG.T.relu", "TBG slides, More Notation",
        r"\Sigma\mapsto\mathcal T(\Sigma)=\mathbb E_{z\sim\mathcal N(0,\Sigma)}[\phi(z_1)\phi(z_2)],\quad \text{This "
        r"function has closed form for ReLU and erf activation}",
        "the expectations of two activations in closed form",
    ),
    Claim(
        "TBG.inv.loss", "TBG slides, Time-Invariance for ResNet",
        r"L(\theta_t)=\|f(\theta_t)-y\|_2^2,\quad \eta_0\le2(\lambda_{\min}(\Theta)+\lambda_{\max}(\Theta))^{-1},"
        r"\quad L(\theta_t)\le\Bigl(1-\frac{\eta_0}3\lambda_{\min}(\Theta)\Bigr)^tR_0",
        "the loss decays exponentially", training.loss_decay,
    ),
    Claim(
        "TBG.inv.weights", "TBG slides, Time-Invariance for ResNet",
        r"\sum_{j=1}^t\|\theta_j-\theta_{j-1}\|_2\le\frac{3KR_0}{\lambda_{\min}(\Theta)},\quad \sup_{t>0}\|\hat\Theta"
        r"_t-\hat\Theta_0\|_F=\frac{6K^3R_0}{\lambda_{\min}(\Theta)}n^{-\frac12}",
        "weights and the NTK hardly move", training.weights_and_kernel,
    ),
    Claim(
        "TBG.rmt", "TBG slides, Smoothness of Interpolant, Lemma",
        r"W\in\mathbb R^{m\times n}\text{ with }W_{ij}\sim\mathcal N(0,1)\text{. Then with probability }\ge1-2\exp(-"
        r"\frac{t^2}2)\text{ it holds:},\quad \sqrt m-\sqrt n-t\le\sigma_{min}(W)\le\sigma_{max}(W)\le\sqrt m+\sqrt n"
        r"+t",
        "the singular values of a Gaussian matrix",
    ),
    Claim(
        "TBG.opnorms", "TBG slides, Smoothness of Interpolant",
        r"\|W_t^{(l)}\|_2\le\|W_0^{(l)}\|_2+\|W_t^{(l)}-W_0^{(l)}\|_2\le2\sqrt n+t+C\le3\sqrt n,\quad \|U\|_2\le"
        r"\sqrt d+2\sqrt n,\quad \|V^{(l)}\|_2\le3\sqrt n",
        "the operator norms of trained weights",
    ),
    Claim(
        "TBG.Bres", "TBG slides, Smoothness of Interpolant",
        r"\Bigl|\Bigl|\frac{f_{res}(x)}{\partial x}\Bigr|\Bigr|_2,\quad \le2\frac{\sqrt n}{\sqrt{nd}}(\sqrt d+2\sqrt "
        r"n)\prod_{l=1}^L\Bigl(1+\frac{C_\phi\alpha\sigma_v}n3\sqrt n\sqrt n\Bigr)\le2(1+2\sqrt{\frac nd})(1+9\alpha "
        r"C_\phi)^L=B_{res}",
        "the bound on the slope of a residual network",
    ),
    Claim(
        "TBG.Bres.mono", "TBG slides, Smoothness of Interpolant",
        r"\text{Observe: Bound decreases with }\alpha\text{. Better empirical performance has been observed for small"
        r"er }\alpha",
        "the bound gets smaller when alpha does",
    ),
    Claim(
        "TBG.Bmlp", "TBG slides, Smoothness of Interpolant MLP",
        r"\Bigl|\Bigl|\frac{\partial f_{MLP}(x)}{\partial x}\Bigr|\Bigr|_2\le2C_\phi\Bigl(1+2\sqrt{\frac nd}\Bigr)(3C"
        r"_\phi)^{L-1}=B_{MLP}",
        "the bound on the slope of an MLP",
    ),
    Claim(
        "TBG.ratio", "TBG slides, Smoothness of Interpolant MLP",
        r"\frac{B_{res}}{B_{MLP}}=\frac{(1+9\alpha)^L}{3^{L-1}}\le1\iff\alpha\le\frac{3^{1-L^{-1}}-1}9",
        "for which alpha the bound of the residual network is the smaller one",
    ),
    Claim(
        "TBG.alpha-bound", "TBG slides, Smoothness of Interpolant MLP",
        r"\alpha\le\frac{3^{1-L^{-1}}-1}9,\quad \text{We can hence obtain smoother interpolations by using }\alpha=0."
        r"1\text{ for any depth}",
        "alpha = 0.1 is said to be small enough at every depth",
    ),
    Claim(
        "TBG.mu", "TBG slides, Smoothness measure",
        r"\mu(f)=\frac{\|f_{Gauss}\|_{\mathcal H_{Gauss}}}{\|f\|_{\mathcal H_{Gauss}}},\quad \text{If }\mu(f_1)<\mu(f"
        r"_2)\text{ will (in some sense) be interpreted that }f_2\text{ is smoother than }f_1\text{. It is also scale"
        r"-invariant}",
        "a measure of smoothness", measure,
    ),
    Claim(
        "TBG.rkhs", "TBG slides, Smoothness measure",
        r"\|f\|_{Gauss}=\frac1{(2\phi)^{\frac1d}}\int\frac{|\mathcal F[f](\omega)|^2}{\mathcal F[K_{Gauss}](\omega)}d"
        r"\omega",
        "the norm of the Gaussian kernel's Hilbert space by Fourier transforms",
    ),
    Claim(
        "TBG.fig1", "TBG slides, Experiments (I)",
        r"\text{Finite (black) versus infinite width ResNet (blue). In a) the two kernels are compared, in b) and c) "
        r"the predictive functions with different learning rates. Empirical results perfectly agree with the predicti"
        r"ons of theory}",
        "finite against infinite width", finite.finite_against_infinite,
    ),
    Claim(
        "TBG.fig2", "TBG slides, Experiments (II)",
        r"\text{Visually, fits become smoother with smaller }\alpha\text{. }\mu\text{-measure agrees with that observ"
        r"ation}",
        "fits become smoother with smaller alpha", fits.fits,
    ),
)
