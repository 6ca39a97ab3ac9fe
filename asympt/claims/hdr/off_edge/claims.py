r"""Claims of Hayou, Doucet and Rousseau (19 February 2020) on the mean field, on the ordered and the chaotic
phase, and on the points of the Edge of Chaos that they print.
"""

from asympt.claims.claim import Claim
from asympt.claims.hdr.off_edge import edge, figure_one, general_map, mean_field, phases

CLAIMS = (
    Claim(
        "HDR.B1.varconv", "HDR App. B.1, bullet 2",
        r"\sup_{x\in\mathbb R^d}|\Sigma^l(x,x)-q|\le e^{-\lambda l}",
        "in every phase the variance converges exponentially, uniformly over all inputs", mean_field.variance_converges,
    ),
    Claim(
        "HDR.B1.ordered", "HDR App. B.1, bullet 3",
        r"\sup_{x,x'\in\mathbb R^d}|c^l(x,x')-1|\le e^{-\gamma l}",
        "in the ordered phase the correlation of any two inputs is within e^(-gamma l) of 1",
        mean_field.ordered_correlation,
    ),
    Claim(
        "HDR.B1.chaotic", "HDR App. B.1, bullet 4",
        r"\sup_{x\neq x'\in\mathbb R^d}|c^l(x,x')-c|\le e^{-\gamma l},\ c<1",
        "in the chaotic phase the correlation of any two inputs is within e^(-gamma l) of some c < 1",
        mean_field.chaotic_correlation,
    ),
    Claim(
        "HDR.B1.fgen", "HDR App. B.1, bullet 6",
        r"f(x)=\frac1q\bigl(\sigma_b^2+\sigma_w^2E[\phi(\sqrt qZ_1)\phi(\sqrt q(xZ_1+\sqrt{1-x^2}Z_2))]\bigr),\ f(1)=1",
        "the correlation map of any activation", general_map.definition,
    ),
    Claim(
        "HDR.B1.slope", "HDR App. B.1, bullet 7",
        r"f'(1)=\sigma_w^2E[\phi'(\sqrt qZ)^2]=1",
        "on the Edge of Chaos the correlation map has the slope 1 at 1", general_map.slope_at_one,
    ),
    Claim(
        "HDR.B1.convex", "HDR App. B.1, bullet 8",
        r"f\ \text{is strictly convex on}\ [-1,1]\ \text{for non-linear}\ \phi",
        "the correlation map of a non-linear activation is strictly convex", general_map.convex,
    ),
    Claim(
        "HDR.B1.deriv", "HDR App. B.1, bullet 9",
        r"f^{(j)}(x)=\sigma_w^2q^{j-1}E[\phi^{(j)}(Z_1)\phi^{(j)}(Z(x))]",
        "the derivatives of the correlation map are Gaussian moments at Z", general_map.derivatives,
    ),
    Claim(
        "HDR.S4.corrrates", "HDR Sec. 4.1, Edge of Chaos",
        r"1-c^l=\mathcal O(l^{-2})\ (\text{ReLU}),\ \mathcal O(l^{-1})\ (\mathcal S)",
        "the rates at which correlations tend to 1, and exponential ones off the Edge of Chaos",
        mean_field.correlation_rates,
    ),
    Claim(
        "HDR.P2", "HDR Proposition 2",
        r"\sup_{x,x'\in\mathbb R^d}|K^L(x,x')-\lambda|\le e^{-\gamma L}",
        "off the Edge of Chaos the NTK of every pair tends to one constant", phases.proposition,
    ),
    Claim(
        "HDR.P2.proof", "HDR App. B.2, proof of Proposition 2",
        r"\sup_{x,x'}|\Sigma^l(x,x')-k|\le e^{-\gamma l},\quad\sup_{x,x'}\dot\Sigma^l(x,x')\le\alpha<1",
        "off the Edge of Chaos all covariances tend to one constant and the derivative kernel is below 1", phases.proof,
    ),
    Claim(
        "HDR.P2.const", "HDR App. B.2, proof of Proposition 2",
        r"K^\infty=\frac q{1-f'(1)}",
        "the limit of the NTK in the ordered phase", phases.constant,
    ),
    Claim(
        "HDR.P2.sigdot", "HDR App. B.2, proof of Proposition 2",
        r"\dot\Sigma^l(x,x')=E[\phi'(f(x))\phi'(f(x'))]",
        "the derivative kernel of the NTK's recursion, written without sigma_w^2", phases.derivative_kernel,
    ),
    Claim(
        "HDR.AL4", "HDR App. B.2, Appendix Lemma 4",
        r"a_{l+1}\le\alpha a_l+ke^{-\beta l}\ \Rightarrow\ a_l\le e^{-\gamma l}\ \text{for all}\ l\ge0",
        "a contraction with an exponentially small source decays exponentially, with no constant in front",
        phases.lemma,
    ),
    Claim(
        "HDR.S6.2-eoc-relu", "HDR Sec. 6.2",
        r"(\sigma_b,\sigma_w)=(0,\sqrt2)\in\text{EOC of ReLU}",
        "the Edge of Chaos of ReLU", edge.relu_point,
    ),
    Claim(
        "HDR.S6.2-eoc-elu", "HDR Sec. 6.2",
        r"(\sigma_b,\sigma_w)=(0.2,1.225)\in\text{EOC of ELU}",
        "a point of the Edge of Chaos of ELU", edge.elu_point,
    ),
    Claim(
        "HDR.S6.2-eoc-tanh", "HDR Sec. 6.2",
        r"(\sigma_b,\sigma_w)=(0.2,1.298)\in\text{EOC of Tanh}",
        "a point of the Edge of Chaos of tanh", edge.tanh_point,
    ),
    Claim(
        "HDR.S6.2-noeoc", "HDR Sec. 6.2",
        r"\text{Softplus and Sigmoid have no EOC}",
        "softplus and sigmoid have no Edge of Chaos", edge.without_edge,
    ),
    Claim(
        "HDR.F1a", "HDR Sec. 6.1, Figure 1a",
        r"|K^L/\alpha_L-AK^\infty|\approx L^{-1}\ \text{for ReLU and ELU}",
        "on the Edge of Chaos the measured convergence is approximately of the order 1/L", figure_one.figure_edge,
    ),
    Claim(
        "HDR.F1b", "HDR Sec. 6.1, Figure 1b",
        r"|K^L-K^\infty|\ \text{exponential in the ordered phase}",
        "in the ordered phase the convergence is exponential for ReLU and ELU", figure_one.figure_ordered,
    ),
)
