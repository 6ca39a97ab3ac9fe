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
        r"\mathcal T(\Sigma)=E[\phi(z_1)\phi(z_2)]\text{ has a closed form for ReLU and erf}",
        "the expectations of two activations in closed form",
    ),
    Claim(
        "TBG.inv.loss", "TBG slides, Time-Invariance for ResNet",
        r"L(\theta_t)=\|f(\theta_t)-y\|_2^2\le(1-\tfrac{\eta_0}3\lambda_{\min}(\Theta))^tR_0,\ "
        r"\eta_0\le2(\lambda_{\min}+\lambda_{\max})^{-1}",
        "the loss decays exponentially", training.loss_decay,
    ),
    Claim(
        "TBG.inv.weights", "TBG slides, Time-Invariance for ResNet",
        r"\sum_{j\le t}\|\theta_j-\theta_{j-1}\|_2\le\frac{3KR_0}{\lambda_{\min}},\ "
        r"\sup_t\|\hat\Theta_t-\hat\Theta_0\|_F=\frac{6K^3R_0}{\lambda_{\min}}n^{-1/2}",
        "weights and the NTK hardly move", training.weights_and_kernel,
    ),
    Claim(
        "TBG.rmt", "TBG slides, Smoothness of Interpolant, Lemma",
        r"P\bigl(\sqrt m-\sqrt n-t\le\sigma_{\min}\le\sigma_{\max}\le\sqrt m+\sqrt n+t\bigr)\ge1-2e^{-t^2/2}",
        "the singular values of a Gaussian matrix",
    ),
    Claim(
        "TBG.opnorms", "TBG slides, Smoothness of Interpolant",
        r"\|W_t^{(l)}\|_2\le2\sqrt n+t+C\le3\sqrt n,\ \|U\|_2\le\sqrt d+2\sqrt n,\ \|V^{(l)}\|_2\le3\sqrt n",
        "the operator norms of trained weights",
    ),
    Claim(
        "TBG.Bres", "TBG slides, Smoothness of Interpolant",
        r"\Bigl\|\frac{\partial f_{res}}{\partial x}\Bigr\|_2\le2\frac{\sqrt n}{\sqrt{nd}}(\sqrt d+2\sqrt n)\prod_l"
        r"\bigl(1+\tfrac{C_\phi\alpha\sigma_v}n3\sqrt n\sqrt n\bigr)\le2\bigl(1+2\sqrt{n/d}\bigr)(1+9\alpha C_\phi)^L",
        "the bound on the slope of a residual network",
    ),
    Claim(
        "TBG.Bres.mono", "TBG slides, Smoothness of Interpolant",
        r"B_{res}\text{ decreases with }\alpha",
        "the bound gets smaller when alpha does",
    ),
    Claim(
        "TBG.Bmlp", "TBG slides, Smoothness of Interpolant MLP",
        r"\Bigl\|\frac{\partial f_{MLP}}{\partial x}\Bigr\|_2\le2C_\phi\bigl(1+2\sqrt{n/d}\bigr)(3C_\phi)^{L-1}",
        "the bound on the slope of an MLP",
    ),
    Claim(
        "TBG.ratio", "TBG slides, Smoothness of Interpolant MLP",
        r"\frac{B_{res}}{B_{MLP}}=\frac{(1+9\alpha)^L}{3^{L-1}}\le1\iff\alpha\le\frac{3^{1-L^{-1}}-1}9",
        "for which alpha the bound of the residual network is the smaller one",
    ),
    Claim(
        "TBG.alpha-bound", "TBG slides, Smoothness of Interpolant MLP",
        r"\alpha=0.1\text{ for any depth: }0.1\le\frac{3^{1-1/L}-1}9",
        "alpha = 0.1 is said to be small enough at every depth",
    ),
    Claim(
        "TBG.mu", "TBG slides, Smoothness measure",
        r"\mu(f)=\|f_{Gauss}\|_{\mathcal H}/\|f\|_{\mathcal H}\in(0,1],\text{ scale invariant}",
        "a measure of smoothness", measure,
    ),
    Claim(
        "TBG.rkhs", "TBG slides, Smoothness measure",
        r"\|f\|_{Gauss}=\frac1{(2\pi)^{1/d}}\int\frac{|\mathcal F[f](\omega)|^2}{\mathcal F[K_{Gauss}](\omega)}d\omega",
        "the norm of the Gaussian kernel's Hilbert space by Fourier transforms",
    ),
    Claim(
        "TBG.fig1", "TBG slides, Experiments (I)",
        r"\hat\Theta_{res}\approx\Theta_{res},\ f_t\approx f_t^\infty\text{ for wide networks}",
        "finite against infinite width", finite.finite_against_infinite,
    ),
    Claim(
        "TBG.fig2", "TBG slides, Experiments (II)",
        r"\alpha'<\alpha\Rightarrow\mu(f_{\alpha'})>\mu(f_\alpha)",
        "fits become smoother with smaller alpha", fits.fits,
    ),
)
