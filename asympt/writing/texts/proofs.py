r"""The lemmas behind a theorem in ball arithmetic, with all hypotheses and their proofs, for a document.

`LemmaText.used`: the steps of the certificate (`recursions.proofs.accounts`) whose figures meet the hypotheses.
"""

from typing import NamedTuple


class LemmaText(NamedTuple):
    """What a proof rests on; `text` and `proof` may be a pair: for a segment of Taylor polynomials, for a disc."""

    name: str
    used: tuple[str, ...]
    text: str | tuple[str, str]
    proof: str | tuple[str, str]


# ---- c -> f(c) of an activation ---------------------------------------------------------------------------------

SMOOTH = r"""Taylor's formula: $f^{(k)}(1) = \sigma_w^2 q^{k-1} \mathbb E[\phi^{(k)}(\sqrt q Z)^2] \ge |f^{(k)}(c)|$
for $-1 \le c \le 1$, by Price's theorem \cite{Price} and the Cauchy--Schwarz inequality; the moments are integrals on a
strip of the complex plane, by the trapezoidal rule with a proved error."""
KINKED = r"""Price's theorem \cite{Price}: for the $j$-th derivative $g_j$ of $\phi$ between its breakpoints $b$,
$J_j(b)$ its jump there, and $G_j(c) = \mathbb E[g_j(U) g_j(V)]$, with $c = 1 - t^2$ and $s = \sqrt{q (1 - c^2)}$,
\[ G_j'(c) = q \Big(G_{j+1}(c) + 2 \sum_b J_j(b) \rho(b)\, \mathbb E[g_{j+1}(c b + s Z)]
+ \sum_{b, b'} J_j(b) J_j(b') \rho_c(b, b')\Big), \]
with $|G_j(c)| \le G_j(1)$ by the Cauchy--Schwarz inequality, $\rho$ and $\rho_c$ the densities of $U$ and of $(U, V)$;
integrated from $c = 1$, as often as needed, it leaves $G_j$ of the last $j$ alone, which is bounded. @mean
$\rho_c(b, b') \sqrt{2 - t^2}\, t$ is analytic at $t = 0$ for
$b = b'$ and smaller than every power of $t$ otherwise."""
MEAN_AT_ZERO = r"""The
mean is expanded by Taylor's formula on either side of $b = 0$, and is $0$ where $g_{j+1}$ is;"""
MEAN_BESIDE = r"""Next to
$b$ the function $g_{j+1}$ is a sum of powers and exponentials, whose means to either side of $b$ are formulas in the
density and the distribution function of $Z$ about $(b - c b)/s$, analytic at $t = 0$; where $g_{j+1}$ differs from it
by $h$, at a distance $d$ of $c b$ and more, $h$ adds at most $(\mathbb E[h^2]/2)^{1/2} \exp(-d^2/(8 q t^2))$;"""

# ---- parabolic fixed points -------------------------------------------------------------------------------------

PARABOLIC_SETTING = r"""Write $t' = t\,u(t)$, $u = 1 - a t^m + \dots$, $a > 0$, and let $A_N = \sum_{k=-m}^{N}
\alpha_k t^k + \beta \log t$, $\alpha_0 = 0$, solve $A(t u) - A(t) = 1$ to the order of $p = N + m + 1$. The $\alpha_k$
are balls that contain the exact solution of the triangular system, so that $d(t) = A_N(t u) - A_N(t) - 1$ has a
zero at $0$, exactly, of the order $p$ at least."""

_NODES = r"""By induction over the formula: sums, products and entire functions of analytic functions are analytic. Let
$g$ be the argument of a root, of a logarithm or of a quotient, $g_0$ its leading term. Then $g/g_0$ is analytic, its
real part is harmonic and attains its minimum on the circle, where it is positive; so $g/g_0$ has no zero in the disc,
and its principal logarithm and powers are analytic. The formula is real, so the arcs cover the upper half of the circle
only. """

_DISC = r"""Assume that every node of the formula is analytic near $|t| \le R$ if its operands are and, for the argument
$g$ of a root, of a logarithm or of a quotient, that $\mathrm{Re}\,(g/g_0) > 0$ on $|t| = R$, $g_0$ its leading term at
$0$; and that $\mathrm{Re}\,(t'/t)^{@root} > 0$ on the circle, which is covered by arcs. Then $u$, $\log u$ and $d$ are
analytic in the disc, and $|d(t)| \le M |t|^p$ for $|t| \le R/2$."""
_DISC_PROOF = _NODES + r"""The same holds for $(t'/t)^{@root}$ and its logarithm. Let $S$ bound $|d|$ on the arcs. By
Cauchy's estimate the coefficients of $d = \sum_{k \ge p} d_k t^k$ satisfy $|d_k| \le S R^{-k}$, and for the first $j$
of them balls are known: so for $|t| \le s < R$ \[ |d(t)| \le |t|^p \Big(\sum_{i<j} |d_{p+i}| s^i + \frac{S
(s/R)^j}{R^p (1 - s/R)}\Big) , \] the last factor being $M(s)$, and $M = M(R/2)$."""

_SEGMENT = r"""For $0 < t \le R$ the map is its Taylor polynomial with a proved remainder, and so are $u$, $\log u$
and $d$. Then $|d(t)| \le M t^p$ for $0 < t \le R/2$."""
_SEGMENT_PROOF = r"""Sums, products, exponentials and logarithms of functions $\sum_{k<n} c_k t^k + \theta(t)\, t^n$,
$\theta$ in a ball, are such functions, with balls for the new coefficients and the new $\theta$; the coefficients of
$1, t, \dots, t^{p-1}$ in $d$ vanish exactly."""

PARABOLIC = (
    LemmaText("Region", ("map", "radius", "circle bound"), (_SEGMENT, _DISC), (_SEGMENT_PROOF, _DISC_PROOF)),
    LemmaText("Rate", ("rate",),
     r"""Let $\xi(t) = t^{-m}(u^{-m} - 1) \ge a' > 0$ on $(0, t_{l_1}]$ and $p > m$. Then $0 < u < 1$ there,
$t_{l+1}^{-m} \ge t_l^{-m} + a'$ for $l \ge l_1$, so $t_l \to 0$, and $\sum_{j \ge 0} t_{l+j}^p \le t_l^p +
t_l^{p-m}/(a'(p/m-1))$.""",
     r"""$u$ is real, has no zero and $u(0) = 1$, so $u > 0$; and $u^{-m} = 1 + t^m \xi > 1$. From $t_{l+1}^{-m} =
t_l^{-m} u^{-m} = t_l^{-m} + \xi(t_l)$ the second statement follows, and with it $t_{l+j} \le (t_l^{-m} + a' j)^{-1/m}$.
The sum over $j \ge 1$ of the $p$-th powers of these is at most their integral, $\int_0^\infty (t_l^{-m} + a'
s)^{-p/m}\, \mathrm ds$. For $a'$ the first coefficients of $\xi$ are balls and the others are bounded as in the lemma
before."""),
    LemmaText("Limit", (),
     r"""Under these hypotheses $\mathcal A(t) = \lim_n A_N(t_n) - n$, $t_0 = t$, exists on $(0, t_{l_1}]$ and does not
depend on $N$; $|\mathcal A - A_N| \le E(t) = M(t) (t^p + t^{p-m}/(a'(p/m-1)))$, $M(t) = \sup_{s \le t} |d(s)|/s^p$;
and there is a number $C$ with $\mathcal A(t_l) = l + C$ for every $l \ge l_1$.""",
     r"""$A_N(t_{n+1}) - A_N(t_n) - 1 = d(t_n)$, and by the lemma before $\sum_n |d(t_n)| \le E(t)$. So the limit exists
and is within $E(t)$ of $A_N(t)$. Two $A_N$ differ by a polynomial in $t$ without constant term, as $\alpha_0 = 0$, and
this tends to $0$ along the orbit. By definition $\mathcal A(t u) = \mathcal A(t) + 1$."""),
    LemmaText("Variances that settle", ("transient",),
     r"""Let $u = q^l - q$, $v = q'^l - q$, $B = V'$, and $|u|, |v| \le Y b^{l - l_1}$, $b = \sup |B| < 1$. Then
$|\gamma' - g(\gamma)| \le L_1 \gamma Y + L_2 Y^2$ for the gap $\gamma = t^\varrho$, $\varrho = @root$, with $L_2 =
\sigma_w^2 \sup \mathbb E[\phi'^2 Z^2]/(2 \inf q \inf V)$ and
\[ L_1 = 2 \sup \sqrt{\tfrac{q q'}{V V'}}\, \sigma_w^2 \Big\{ \tfrac{1}{2 \sqrt q} \sqrt{\mathbb E[\phi''^2 Z^2]\,
\mathbb E[\phi'^2]} + \mathbb E[\phi'^2]\, \big| \tfrac{1}{2 q} - \tfrac{B}{2 V} \big| \Big\} , \] $\phi''$ taken
without deltas: $\phi'$ jumps at $0$ alone, if at all.
Let $a' \le \xi \le a''$ on $(0, t_{l_1}]$, $w_0 = t_{l_1}^{-m}$, $0 < \eta < a'$ and
\begin{gather*} \Delta = L_1 (1 + t_{l_1}^m a'')^{\varrho/m} Y + L_2 Y^2 (w_0 + a'')^{\varrho/m}, \\ \eta_0 = (w_0 +
a'')((1 - \Delta)^{-m/\varrho} - 1), \qquad \theta = b\, \Big(1 + \frac{a'' + \eta}{w_0 + a''}\Big)^{1 +
\varrho/m} . \end{gather*}
If $\Delta, \theta < 1$ and $\eta_0 \le \eta$, the lemmas before hold from layer $l_1$ on with $a' - \eta$, which is
the $a'$ of their figures, and with an error $\Lambda \eta_0 \theta^{l - l_1}/(1 - \theta)$ of $A_N(t_l) - l - C$
besides, $m \Lambda = \sup |t^{m+1} A_N'|$, at most a constant times a power of $t_l$; $C = \lim A_N(t_l) - l$.""",
     r"""With $\Phi(q) = (\sigma_b, \sigma_w \phi(\sqrt q\, \cdot))$ the next correlation at $c = 1$ is the cosine of
$\Phi(q)$ and $\Phi(q')$, so the next gap there is at most $|\Phi(q) - \Phi(q')|^2/(2 \inf V) \le L_2 Y^2$, as
$|\Phi'|^2 = \sigma_w^2 \mathbb E[\phi'^2 Z^2]/(4 q)$. From there $\mathrm d\gamma'/\mathrm d\gamma = \sqrt{q q'/(V
V')}\, \sigma_w^2 \mathbb E[\phi' \phi']$, whose derivatives in $q$ and $q'$ are together at most $L_1$, by Cauchy and
Schwarz. So $\gamma' = g(\gamma)(1 + \delta)$, $|\delta| \le \Delta_k$ with $Y b^k$ for $Y$ and $W_k = w_0 + (a'' +
\eta) k$ for $w_0$, $k = l - l_1$, and $t^{-m}$ moves by at most $\eta_k = (W_k + a'')((1 - \Delta_k)^{-m/\varrho} - 1)$
beyond its step. As $(1 - x)^{-m/\varrho} - 1$ is convex and $0$ at $0$, $\eta_k \le \eta_0 \theta^k \le \eta$; by
induction $w_0 + (a' - \eta) k \le t_l^{-m} \le W_k$. As a function of $t^{-m}$, $A_N$ has a slope of at most
$\Lambda$: a layer adds $\Lambda \eta_k$ to the defect, and the sum is geometric. As $t_l^{-m}$ grows by at most
$1 + (a'' + \eta)/(w_0 + a'')$ a layer, $\theta^k$ is at most a constant times $t_l^s$ where that to the power $s/m$,
times $\theta$, is at most $1$: this is checked. Up to layer $n_0$ the layers of both
inputs are iterated themselves; from there to $l_1$ those of the map, with $L_1 \gamma Y + L_2 Y^2$ added to the
ball."""),
    LemmaText("Orbit", ("orbit", "connection constant"),
     r"""The recursion itself is iterated in balls from the first layer. Then $t_{l_1}$ lies in the interval below, and
$C$ in $A_N(t_{l_1}) - l_1 \pm E(t_{l_1})$; for an interval of starts between the values of this at both ends.""",
     r"""A layer takes an interval $I$ into $g(\mathrm{mid}\, I) + g'(I) (I - \mathrm{mid}\, I)$, by the mean value
theorem; where $g' > 0$ on all of $I$ its ends go to ends; elsewhere $I$ is cut. The second statement is the last lemma
at $l = l_1$. For an interval of starts, $t_{l_1}$ is between those of the ends, and $\mathcal A$ decreases, being a
limit of the functions $A_N(g^n(t)) - n$, of which $A_N$ decreases (the inversion below) and $g^n$ increases where $u$
and $g'$ are positive."""),
    LemmaText("Linear recursion", ("linear recursion",),
     r"""Let $\mathrm{Re}\,\lambda > 0$ in the region and $\lambda = 1 - h a t^m + \dots$ with a whole number $h \ge 0$.
Let $L_N = h \log t + \sum \ell_k t^k$ and $P_N = \sum p_k t^k + r H_N \log t$, $H_N = \exp L_N$, solve $L(t u) - L =
\log \lambda$ and $P(t u) = \lambda P + b$ to the order of $p$, with defects $e$ and $\eta$ that are bounded in the same
region. Then $a_l = P_N(t_l) + D H_N(t_l)$ up to an explicit multiple of a power of $t_l$, with a number $D$.""",
     r"""$S(t) = \sum_{j \ge 0} e(t_j)$ converges by the lemma on the rate, and $H^* = H_N \exp S$ satisfies $H^*(t u) =
\lambda H^*$ exactly, since $H_N(t u) = \lambda H_N \exp(e)$ and $S(t u) = S - e$. For $D_l = (a_l - P_N(t_l))/H^*(t_l)$
one has $D_{l+1} - D_l = -\eta(t_l)/H^*(t_{l+1})$, which is at most a constant times $t_l^{p-h}(1 + |\log t_l|)$ and
again summable, $p - h > m + 1$. So $D_l$ tends to a number $D$, and $a_l - P_N - D H_N = (D_l - D) H^* + D (H^* -
H_N)$."""),
    LemmaText("The kernel while variances settle", ("settling kernel",),
     r"""$a = K/q$ follows $a_{l+1} = \tilde\lambda a_l + \tilde b$ with $|\tilde\lambda - \lambda| \le L_3 Y b^k$ and
$|\tilde b - b| \le (L_1 \gamma Y + L_2 Y^2 + L_3 Y) b^k$, $k = l - l_1$, $L_3 = \max(\sigma_w^2 \sup \sqrt{\mathbb
E[\phi''^2 Z^2]\, \mathbb E[\phi'^2]/q},\, 1/\inf q)$. The lemma before holds for it too, with an error more that
shrinks like $\theta_H^k$, $\theta_H = \theta\, (1 + (a'' + \eta)/(w_0 + a''))^{1 + h/m} < 1$, and so faster than the
powers of $t_l$ that are used.""",
     r"""$\mathbb E[\phi' \phi']$ in $q$ and $q'$ by Cauchy and Schwarz; $\tilde b$ is the next $c \sqrt{q q'}/q$.
With $w = t^{-m}$, which moves by $\eta_k$ beyond its step, $D_l = (a_l - P_N)/H_N$ obeys $D_{l+1} = (1 + e_l) D_l +
\rho_l$, where $|\log(1 + e_l)| \le |e(t_l)| + \eta_k \sup |\mathrm d \log H_N/\mathrm dw| - \log(1 - L_3 Y
b^k/\lambda)$ and $|\rho_l| H_N(t_{l+1}) \le |\eta(t_l)| + \eta_k \sup |\mathrm dP_N/\mathrm dw| + L_3 Y b^k |P_N| +
|\tilde b - b|$. With their sums $E$ and $R$ from $l$ on, $|D - D_l| \le (e^E - 1) |D_l| + e^E R$ and $|a_l - P_N - D
H_N| \le ((e^E - 1) |D| + e^{2 E} R) H_N$. As $t_l^{-m} \le W_k + a''$, which grows by at most $1 + (a'' + \eta)/(w_0
+ a'')$ a layer, $\theta_H^k$ is at most a constant times $t_l^s$ where that to the power $s/m$, times $\theta_H$, is
at most $1$: this is checked."""),
    LemmaText("Inversion", ("inversion",),
     r"""Let $X = l^{-1/m}$, $Y = X^m(C + (\beta/m)(\log l - \log \alpha_{-m}))$, $r_W < 1$, and $\delta = R_Y +
R_X^m(|\beta| \log\frac{1}{1-r_W} + \sum_{k \ne 0, -m} |\alpha_k| T^k (1 \pm r_W)^k)$, $T = \alpha_{-m}^{1/m} R_X$,
with $+$ for $k > 0$. Let $\delta < 1$, $(1 - \delta)^{1/m}(1 + r_W) > 1$, and $A_N' < 0$ on $(0, \max(t_{l_1}, T(1 +
r_W))]$. Then there is an analytic function $W$ on $|X| < R_X$, $|Y| < R_Y$ with $|W - 1| \le r_W$, and $A_N(t_l) = l +
C + \varepsilon$ is the same as $t_l = \alpha_{-m}^{1/m} X\, W(X, Y + \varepsilon X^m)$.""",
     r"""Put $t = \alpha_{-m}^{1/m} X w$ and multiply $A_N(t) = l + C + \varepsilon$ by $X^m = 1/l$; as $\log X = -(\log
l)/m$, it becomes \[ w = \Phi(w) = \Big(1 + Y + \varepsilon X^m - X^m \big(\beta \log w + \sum_{k \ne 0, -m} \alpha_k
(\alpha_{-m}^{1/m} X w)^k\big)\Big)^{-1/m} . \] For $|w - 1| \le r_W$ the bracket is $1 + z$ with $|z| \le \delta$, so
$|\Phi(w) - 1| \le (1 - \delta)^{-1/m} - 1 < r_W = |w - 1|$ on the circle: by Rouch\'e's theorem $w - \Phi(w)$ has as
many zeros in it as $w - 1$, one. It is $\frac1{2 \pi i} \oint w\, (1 - \Phi'(w))/(w - \Phi(w))\, \mathrm dw$, hence
analytic in $X$ and $Y$, and real where these are. As $A_N$ takes no value twice up to $\max(t_{l_1}, T (1 + r_W))$,
this zero belongs to $t_l$."""),
    LemmaText("Tail", ("tail",),
     r"""Let the quantity be a factor times $\sum_s (\log l)^s F_s(X, Y)$, $F_s = \sum f_{jk} X^j Y^k$ analytic and
$|F_s| \le S$ on the bidisc, and let $j + m k$ be the weight of a term. Over the monomial of the remainder, and for all
$l \ge l_1$, what is not printed is at most $B_0 + B_1 + \dots$: $B_0$ the terms of the monomial's own weight $a_0$,
$B_1$ the known terms of larger weights up to $K = a_0 + 8$, $B_2$ all others, $B_3$ what $\varepsilon$ moves, $B_4$
the error of the linear recursion.""",
     r"""$|Y| \le X^m\, \mathrm{env}$, $\mathrm{env} = |\beta/m| \log l + |C - (\beta/m) \log \alpha_{-m}|$. Over the
monomial the terms of weight $a_0$ are a polynomial in $1/\log l$, enclosed on $[0, 1/\log l_1]$. A term of weight $a >
a_0$ is at most $|f_{jk}|\, \mathrm{env}^k X^{a - a_0}$ times a power of $\log l$; it falls with $l$ where $m k
|\beta/m|/\mathrm{env}$ (and the same for the power of the logarithm) is at most $a - a_0$, which is checked at $l_1$
and stays true. By Cauchy $|f_{jk}| \le S R_X^{-j} R_Y^{-k}$, and there are at most $a/m + 1$ terms of weight $a$, so
beyond $K$ the sum is at most \[ S\, \eta^{K+1} \Big(\frac{(K+1)/m + 1}{1 - \eta} + \frac{\eta}{m (1 - \eta)^2}\Big),
\qquad \eta = \max\Big(\frac X{R_X},\, X \Big(\frac{\mathrm{env}}{R_Y}\Big)^{1/m}\Big) < 1 . \] By Cauchy again $F$
moves by at most $S\, |\varepsilon| X^m/(R_Y - |Y| - |\varepsilon| X^m)$ with $\varepsilon$, where $|\varepsilon| \le
E(t_l)$; and $t_l \le \alpha_{-m}^{1/m} X (1 + r_W)$ bounds the errors in powers of $t_l$. Each of these falls against
the monomial from $l_1$ on, which is checked."""),
)  # fmt: skip

FIRST = LemmaText(
    "First layers", ("first layers",),
    r"""For each layer $l_0 \le l \le l_1$ the deviation from the printed law, over the monomial, is at most the largest
figure below.""",
    r"""The intervals of the orbit (and of $a_l$) are those of the lemma on the orbit; the law and the monomial are
evaluated in balls. The size of the deviation is a convex function of the quantity, so it is largest at an end of the
interval. A law with $C$ is taken on pieces of the interval of starts, each with its own ball for $C$; what exceeds the
figure in a piece is shown on parts of it.""",
)  # fmt: skip
PARABOLIC_FIRST = FIRST._replace(proof=FIRST.proof + r""" From the layer on in which $|\mathcal A - A_N| \le E$ is known
for a piece, its quantity and its law may be taken as one function of $t = t_l$ (and of $D$): up to the errors of $A_N$
and of $P_N + D H_N$ and $E$ times the derivative of the law in $C$, the deviation is $G(t) = q(t) -
\mathrm{law}_l(A_N(t) - l)$, $q$ the quantity as a function of $t$. By the mean value theorem $|G|$ on an interval is at
most its larger value at the ends where $G'$ has one sign, and else that and half of the length times $\sup |G'|$; its
derivative in $D$ times the radius of the ball for $D$ is added. So the length of the ball for $C$ does not enter.""")

# ---- hyperbolic fixed points ------------------------------------------------------------------------------------

HYPERBOLIC_SETTING = r"""Write $t' = t\,u(t)$, $\mu = u(0)$, $0 < |\mu| < 1$, and let $U_N = t + s_2 t^2 + \dots +
s_N t^N$ solve $U(t u) = \mu U(t)$ up to a defect of order $N + 1$."""

HYPERBOLIC = (
    LemmaText("Region", ("radius", "circle bound"),
     r"""In the disc $|t| \le R$ (or for $0 < t \le R$, where the map is known by its Taylor polynomials with
remainders) the map is analytic, $|u - \mu| \le M_2 |t|$ and $|U_N(t u) - \mu U_N(t)| \le M |t|^{N+1}$.""",
     _NODES + r"""Both functions vanish at $0$ to the order stated, and their size on the circle bounds their
coefficients by Cauchy's estimate; with Taylor polynomials, both are such polynomials with remainders."""),
    LemmaText("Functional equations", (),
     r"""Let $|u| \le k < 1$ up to $|t|$, $|\lambda| \ge \lambda_0 > k^{N+1}$, and $|f_N(t u) - \lambda f_N(t) - b(t)|
\le M |t|^{N+1}$. Then there is exactly one $f$ with $f(t u) = \lambda f(t) + b(t)$ and $f - f_N = O(t^{N+1})$, and $|f
- f_N| \le M |t|^{N+1}/(\lambda_0 - k^{N+1})$.""",
     r"""Let $\delta = f_N(t u) - \lambda f_N - b$ and $t_0 = t$, $t_{j+1} = t_j u(t_j)$, so $|t_j| \le k^j |t|$. The
function $f = f_N + \sum_{j \ge 0} \delta(t_j)/(\lambda(t_0) \cdots \lambda(t_j))$ solves the equation, and the sum is
at most $\sum M |t|^{N+1} k^{j(N+1)}/\lambda_0^{j+1}$. The difference $g$ of two solutions has $g(t) =
g(t_n)/\prod_{j<n} \lambda(t_j)$, which is $O((k^{N+1}/\lambda_0)^n)$, for every $n$: it is $0$."""),
    LemmaText("Koenigs' function", ("map", "connection constant"),
     r"""If $k = |\mu| + M_2 |t| < 1$ and $k^{N+1} < |\mu|$, then $U(t) = \lim \mu^{-n} t_n$ exists, $|U - U_N| \le M
|t|^{N+1}/(|\mu| - k^{N+1})$, and $U(t_l) = \mu^l c$ for every $l$; $C$ is $c^{@root}$.""",
     r"""The lemma before, with $\lambda = \mu$ and $b = 0$, gives $U$ with $U(t u) = \mu U$; so $\mu^{-n} U(t_n)$ does
not depend on $n$, and $U(t) = t\,(1 + O(t))$ makes it the limit of $\mu^{-n} t_n$."""),
    LemmaText("Linear recursion", ("linear recursion",),
     r"""For $a_{l+1} = \lambda a_l + b$ the solutions $h$ and $P$ of $h(t u) \lambda(0) = \lambda h(t)$, $h(0) = 1$,
and $P(t u) = \lambda P(t) + b$ (with a term $r l H$ in resonance) are known in the same way up to order $N$, and $a_l
= P(t_l) + D \lambda(0)^l h(t_l)$.""",
     r"""The lemma on functional equations, with $\lambda/\lambda(0)$ and $0$ for $h$, with $\lambda$ and $b$ for $P$.
$a_l - P(t_l)$ and $\lambda(0)^l h(t_l)$ solve the same homogeneous recursion of first order. In resonance, $\lambda(0)
= \mu^j$, the function $H = U^j h$ has $H(t u) = \lambda H$, and with $P(t u) = \lambda P + b - r \lambda H$ the
sequence $P(t_l) + (E + r l) H(t_l)$ solves the recursion."""),
    LemmaText("Inversion", ("inversion",),
     r"""Let $Q$ be the reversion of $U_N$, cut at $z^N$, and $U_N' \ge s > 0$ up to the larger of $|t_l|$ and $|Q|$.
Then $|t_l - Q(z)| \le e |z|^{N+1}$ for $z = \mu^l c$ and all $l \ge l_1$.""",
     r"""$|U_N(t_l) - z|$ is at most the error of $U_N$, a multiple of $|t_l|^{N+1}$, and $U_N(Q(z)) - z$ is a
polynomial that begins with $z^{N+1}$, bounded by Cauchy's estimate from circles. By the mean value theorem $|t_l -
Q(z)|$ is at most the sum of both over $s$, and $|t_l| \le |z|/(s - \dots)$ turns powers of $t_l$ into powers of
$z$."""),
    LemmaText("Tail", ("tail",),
     r"""The quantity is a polynomial in $z$ with a known error; what is not printed, over the monomial, is at most
the sum below for all $l \ge l_1$.""",
     r"""Each term of it is a constant times $l^s |\mu|^{k l}$ with $k$ larger than that of the monomial (or equal, with
fewer powers of $l$); its ratio to the monomial falls from $l_1$ on, which is checked."""),
)  # fmt: skip

# ---- steps that fall --------------------------------------------------------------------------------------------

FLOW_SETTING = r"""Write $h = t^k s(t)$, $x = t^{@root}$, $m = k - @root$, $\delta_l = a/(l + \beta)$, and let the
flow time $T$ solve $T' = -1/h$: $T = t^{-m}\tau(t) + r \log t$, without a constant term. Where a linear recursion
runs along it, $P = -h \int o\,\mathrm dx/h^2$, without a term $t^k$."""

FLOW = (
    LemmaText("Region", ("map", "radius", "flow time"),
     r"""Assume that a node of the formulas is analytic near $|t| \le R$ if its operands are and, for the argument $g$
of a root, of a logarithm or of a quotient, that $\mathrm{Re}\,(g/g_0) > 0$ on $|t| = R$, $g_0$ its leading term at
$0$; and that $\mathrm{Re}\, s > 0$ on the circle. Then $s$, $1/s$ and with them $\tau$ are convergent power series.""",
     _NODES + r"""$J + 1$ coefficients are balls, the others are bounded by Cauchy's estimate from the circle."""),
    LemmaText("Single layers", ("orbit", "single layers", "connection constant"),
     r"""Let $\eta = \sup |h'|$ over $(0, x]$ and $\delta\eta < 1$. Then
\[ |T(x - \delta h(x)) - T(x) - \delta| \le \frac{\delta^2 \eta}{2 (1 - \delta \eta)} , \]
$C = \lim T(x_l) - a \log l$ exists, is enclosed at layer $n$, to which the recursion is iterated in balls, and
$|T(x_l) - a \log l - C| \le E/l$ for all $l \ge n$.""",
     r"""$|h(\xi) - h(x)| \le \theta\delta\eta h(x)$ at $\xi = x - \theta \delta h(x)$, so $T$ moves by $\int_0^1 \delta
h(x)/h(\xi)\, \mathrm d\theta$, which is within the stated bound of $\delta$. Sum over the layers:
\[ \sum_{j > l} \frac{1}{(j + \beta)^2} < \frac{1}{l + \beta + 1/2}, \qquad \sum_{j \le l} \delta_j = a\, \psi(l + 1 +
\beta) + \mathrm{const}, \] and $\log x - 1/x < \psi(x) < \log x$."""),
    LemmaText("Linear recursion", ("linear recursion",),
     r"""$(k_l - P(x_l))/h(x_l)$ tends to a number $D$, and $|k_l - P - D h| \le K/l$ for all $l \ge n$; the norm $s_l$
is within $S/l$ of $b \log l + s_0$.""",
     r"""$u_l = (k_l - P(x_l))/h(x_l)$ moves in a layer by at most $\frac{\delta^2}{2 (1 - \delta\eta)^2} (|u| \sup h
|h''| + \sup x |h'' P - o'| / x_l)$, by Taylor's formula and $P'' = (h'' P - o')/h$. With $z = \sup h/x$ one has
$1/x_j \le ((j + \beta)/(l + \beta))^q/x_l$, $q = a z/(1 - \delta z)$; for $q < 1$, which is checked, the sum is
$O(1/l)$. The norm is a digamma function, bounded as before."""),
    LemmaText("Inversion", ("inversion",),
     r"""Let $\Lambda = \log l$, $X = \Lambda^{-1/m}$ and $Y = X^m (C + r (\log \Lambda - \log \alpha)/m)$, both $C$
and $r$ over $a$ and $\alpha = \tau(0)/a$. The beginning of $T/a = \Lambda + C/a + \varepsilon$ is solved by $t =
\alpha^{1/m} X w$, $w = W(X, Y + \varepsilon X^m)$, with $W$ analytic and $|W - 1| \le r_W$ on $|X| \le R_X$, $|Y| \le
R_Y$; $r_W$ is the first figure.""",
     r"""In these variables it is an equation $w = \Phi(w)$ with $|\Phi - 1| < r_W$ on $|w - 1| = r_W$, which is
checked; by Rouch\'e's theorem it has one solution there, which is analytic in $X$ and $Y$, being $\frac1{2 \pi i}
\oint w (1 - \Phi')/(w - \Phi)\, \mathrm dw$."""),
    LemmaText("Tail", ("tail",),
     r"""Over the monomial and for all $\Lambda \ge \Lambda_1$ what is not printed is at most $B_0 + B_1 + \dots$: $B_0$
the terms of the monomial's own weight, $B_1$ known terms of larger weight, $B_2$ all others, $B_3$ and $B_4$ the rests
of $T$, $P$ and $h$, $B_5$ what single layers add, a multiple of $e^{-\Lambda}$.""",
     r"""The law is the beginning of the Taylor series of a function of $W$, whose coefficients beyond the known ones
are bounded by Cauchy's estimate on the bidisc. Each of the bounds falls against the monomial from $\Lambda_1$ on,
which is checked."""),
    LemmaText("Between", ("boxes",),
     r"""For $\log n \le \Lambda \le \Lambda_1$ the deviation, over the monomial, is at most the figure below.""",
     r"""It is a function of the real numbers $\Lambda$, $C$ (and $D$), up to multiples of $e^{-\Lambda}$: $x = T^{-1}(a
\Lambda + C)$, or $(P + D h)/(b \Lambda + s_0)$. By $\mathrm dx/\mathrm dT = -h$ and $\mathrm d(P + D h)/\mathrm dT = o
- h' (P + D h)$ it has a mean value form on boxes, which are halved until their bounds are near what a point of them
shows."""),
)  # fmt: skip

FLOW_FIRST = FIRST._replace(text=FIRST.text.replace("l_1", "n"))

# ---- the proof object, which the kernel checks --------------------------------------------------------------------

EXACT = r"""
\section{A second proof, in exact numbers}
This proof uses nothing of the sections before but the recursion and the starts, and its letters are its own. Its data
are the exact numbers \[ @numbers , \] with $t = @t$, which is $t_n$ in layer $n$. They stand in the theorem's proof
object, from which \texttt{asympt check}, a program that knows nothing else, finds the functions
@functions
with a number $K \le @K$, and verifies the following.
@lemmas
\paragraph{Conclusion.} The layers from $@first$ to $N$ are enclosed one by one, @ends. For all $n \ge N$ the theorem is
the last lemma.
"""

NESTED = LemmaText(
    "Nested intervals", (),
    r"""If $e_n \ge 0$ and $|a_{n+1} - a_n| \le e_n - e_{n+1}$ for all $n$, then there is a number $C$ with $|a_n - C|
\le e_n$ for all $n$.""",
    r"""$a_n - e_n$ does not decrease and $a_n + e_n$ does not increase. So $a_i - e_i \le a_j + e_j$ for all $i$ and
$j$, and the supremum $C$ of the left-hand sides lies between $a_n - e_n$ and $a_n + e_n$ for every $n$.""",
)  # fmt: skip
LAYER = LemmaText(
    "The layer", (),
    r"""With $\sigma_b = @sigma_b$ there is a $q \in [@low, @high]$ with
$q = \sigma_b^2 + \sigma_w^2\,\mathbb E[\phi(U)^2]$ and $1 = \sigma_w^2\,\mathbb E[\phi'(U)^2]$, $U \sim N(0, q)$.
For each of them $f(1 - t^2) = 1 - t^2 + \sum_{k > 2} e_k t^k$ to any order in $t$, where the last $e_k$ is a function
of $t$ with values in a ball for $0 < t \le r$; @coefficients.""",
    r"""The difference of both sides of the first equation, $\sigma_w$ being that of the second, is continuous in $q$
and changes its sign between the ends. The integrals are those of Arb \cite{Arb}, whose integrator needs to know where
an integrand is holomorphic: here wherever it is finite, since it has no branch cut. Beyond $|U| = 24 \sqrt q$ a
bound of $\phi$ in a strip and Cauchy's estimate suffice. By Price's theorem \cite{Price} $G_j(c) = \mathbb
E[\phi^{(j)}(U) \phi^{(j)}(V)]$, $c$ being the correlation of $U$ and $V$, has the derivative $q\, G_{j+1}(c)$ and
what jumps of $\phi^{(j)}$ at $0$ add, which are means of Taylor polynomials. It begins with $0 \le G_n \le G_n(1)$
and is integrated down to $f' = \sigma_w^2 G_1$, where $f(1) = f'(1) = 1$. On the orbit $f(c) = \sum p_k c^k$, $p_k
= \sigma_w^2\,\mathbb E[\phi(U) He_k(U/\sqrt q)]^2/(q\, k!) \ge 0$ for $k > 0$: beyond the last known $p_k$ the sum
is at most what is left at $c = 1$.""",
)  # fmt: skip
HYPOTHESES = LemmaText(
    "Hypotheses", (),
    r"""For $0 < t \le r$ one layer $g(t)$ satisfies $0 < g(t) < t$ and $g'(t) \ge 0$, and
\[ |A(g(t)) - A(t) - 1| \le E(t) - E(g(t)) . \] Hence $|A(t_n) - n - C| \le E(t_n)$ with one number $C$ as soon as $t_n
\le r$; of a start between two others it is between theirs.""",
    r"""The map is a Taylor polynomial at $0$ with Lagrange's remainder, a ball for its derivative on $[0, r]$; the
argument of every root, logarithm and quotient is in its real domain there. Each inequality is divided by the power of
$t$ that both of its sides have: the coefficients below vanish exactly, by algebra with rational numbers, roots and
$\pi$. What remains is positive on $[0, r]$, by bisection in balls, or at most $K$, on short pieces. The last
statement is the lemma on nested intervals, with $a_n = A(t_n) - n$ and $e_n = E(t_n)$; and orbits keep their order,
while $A$ decreases near $0$.""",
)  # fmt: skip
_SHOWN = HYPOTHESES.proof[HYPOTHESES.proof.index("Each inequality") :]
OF_A_LAYER = HYPOTHESES._replace(proof=f"The map is that of the lemma on the layer. {_SHOWN}")
INVERSION = LemmaText(
    "In powers of the layer", (),
    "For all $n \\ge N$ the quantity is within $B$ monomials of the printed law.",
    r"""With the coefficient $\alpha$ of $t^{-m}$ in $A$, $\alpha t_n^{-m}$ is $n + C$ less the other terms of $A(t_n)$,
up to $E(t_n)$. This encloses $\alpha t_n^{-m}/n$ roughly, and each time that it is used with the ball before, better.
So all powers of $t_n$ are known in $X = n^{-1/m}$ and $L = \log n$, and with them the quantity. Its terms larger than
the remainder are exactly those printed. Every other $X^i L^j$ over that of the remainder decreases from $N$ on, since
$m j \le i \log N$, and is bounded by its value at $N$: in all they are at most $B$.""",
)  # fmt: skip
CONTRACTION = LemmaText(
    "Linear recursion", (),
    r"""With
@particular
$w = @weight$ and a $\kappa \le @kappa$: $0 \le \lambda$, $\lambda t^w < g(t)^w$, and $\eta = \lambda P + b - P(g)$
satisfies $|\eta| \le \kappa (g^w - \lambda t^w)$ on $(0, r]$. So $|a_n - P(t_n)| \le t_n^w \max(|a_N - P(t_N)|/t_N^w,
\kappa)$ for all $n \ge N$.""",
    r"""The inequalities are shown like those above. And $a_{n+1} - P(t_{n+1}) = \lambda (a_n - P(t_n)) + \eta$, so what
$|a_n - P(t_n)|/t_n^w \le d$ for a $d \ge \kappa$ says of one layer it says of the next: $|a_{n+1} - P(t_{n+1})| \le
\lambda t_n^w d + (t_{n+1}^w - \lambda t_n^w) \kappa \le t_{n+1}^w d$. For an interval of starts
$a_n$ lies between two numbers that are followed from layer to layer, as $\lambda$ and $b$ decrease in $t$ (in the first
layer one ball may hold both); where $c^n < 0$ they are followed by $0 \le \lambda \le 1$.""",
)  # fmt: skip
KOENIGS_HYPOTHESES = LemmaText(
    "Hypotheses", (),
    r"""For $0 < t \le r$ one layer $G(t)$ satisfies $0 < G(t) < t$ and $G'(t) \ge 0$, and
\[ |S(G(t)) - \chi S(t)| \le \chi E(t) - E(G(t)) . \] Hence $|S(x_n) - C \chi^n| \le E(x_n)$ with one number $C$ as soon
as $x_n \le r$.""",
    r"""The inequalities are shown by Taylor polynomials at $0$ with Lagrange's remainder, a ball for the derivative on
$[0, r]$, divided by the power of $t$ that both sides have: the coefficients below vanish exactly, by algebra; what
remains is positive on $[0, r]$, by bisection in balls, or at most $K$, on short pieces. The last statement is the
lemma on nested intervals, with $a_n = \chi^{-n} S(x_n)$ and $e_n = \chi^{-n} E(x_n)$.""",
)  # fmt: skip
KOENIGS_INVERSION = INVERSION._replace(
    proof=r"""$x_n$ is $C \chi^n$ less the other terms of $S(x_n)$, up to $E(x_n)$. This encloses $x_n/(C \chi^n)$
roughly, and each time that it is used with the ball before, better. So $x_n$ is known in powers of $X = C \chi^n$.
Those larger than the remainder are exactly those printed; the others, over that of the remainder, decrease, are bounded
by their values at $N$, and are at most $B$ in all.""",
)  # fmt: skip
