r"""Claims of Hayou, Doucet and Rousseau (19 February 2020) on the mean field, on the ordered and the chaotic
phase, and on the points of the Edge of Chaos that they print.
"""

from asympt.claims.claim import Claim
from asympt.claims.hdr.off_edge import edge, figure_one, general_map, mean_field, phases

CLAIMS = (
    Claim(
        "HDR.B1.varconv", "HDR App. B.1, bullet 2",
        r"\text{There exist }q,\lambda>0\text{ such that, for all }\sup_{x\in\mathbb R^d}|\Sigma^l(x,x)-q|\le e^{-"
        r"\lambda l}",
        "in every phase the variance converges exponentially, uniformly over all inputs", mean_field.variance_converges,
    ),
    Claim(
        "HDR.B1.ordered", "HDR App. B.1, bullet 3",
        r"\text{On the Ordered phase, there exists }\gamma>0\text{ such that }\sup_{x,x'\in\mathbb R^d}|c^l(x,x')-1|"
        r"\le e^{-\gamma l}",
        "in the ordered phase the correlation of any two inputs is within e^(-gamma l) of 1",
        mean_field.ordered_correlation,
    ),
    Claim(
        "HDR.B1.chaotic", "HDR App. B.1, bullet 4",
        r"\text{On the chaotic phase, there exist }\gamma>0\text{ and }c<1\text{ such that }\sup_{x\ne x'\in\mathbb R"
        r"^d}|c^l(x,x')-c|\le e^{-\gamma l}",
        "in the chaotic phase the correlation of any two inputs is within e^(-gamma l) of some c < 1",
        mean_field.chaotic_correlation,
    ),
    Claim(
        "HDR.B1.fgen", "HDR App. B.1, bullet 6",
        r"f(x)=\frac{\sigma_b^2+\sigma_w^2\mathbb E[\phi(\sqrt qZ_1)\phi(\sqrt qZ(x))]}q,\quad \text{where }Z(x)=xZ_1"
        r"+\sqrt{1-x^2}Z_2,\quad f(1)=1",
        "the correlation map of any activation", general_map.definition,
    ),
    Claim(
        "HDR.B1.slope", "HDR App. B.1, bullet 7",
        r"\sigma_w^2\mathbb E[\phi'(\sqrt{q(\sigma_b,\sigma_w)}Z)^2]=1,\quad \text{On the EOC, we have }f'(1)=1",
        "on the Edge of Chaos the correlation map has the slope 1 at 1", general_map.slope_at_one,
    ),
    Claim(
        "HDR.B1.convex", "HDR App. B.1, bullet 8",
        r"\text{For non-linear activation functions, }f\text{ is strictly convex and }f(1)=1",
        "the correlation map of a non-linear activation is strictly convex", general_map.convex,
    ),
    Claim(
        "HDR.B1.deriv", "HDR App. B.1, bullet 9",
        r"\text{If }f\text{ is infinitely differentiable, then for all }j\ge1\text{, we have }f^{(j)}(x)=\sigma_w^2q^"
        r"{j-1}\mathbb E[\phi^{(j)}(Z_1)\phi^{(j)}(Z(x))]",
        "the derivatives of the correlation map are Gaussian moments at Z", general_map.derivatives,
    ),
    Claim(
        "HDR.S4.corrrates", "HDR Sec. 4.1, Edge of Chaos",
        r"\text{an Initialization on the Ordered/Chaotic phase leads to the convergence of }c^l\text{ to a limiting v"
        r"alue }c\text{ independent of }x,x'\text{ with an exponential convergence rate},\quad \text{an initializatio"
        r"n on the Edge of Chaos leads to sub-exponential rates (}\mathcal O(l^{-2})\text{) for ReLU and }\mathcal O("
        r"l^{-1})\text{ for a class of smooth activation functions}",
        "the rates at which correlations tend to 1, and exponential ones off the Edge of Chaos",
        mean_field.correlation_rates,
    ),
    Claim(
        "HDR.P2", "HDR Proposition 2",
        r"\text{Let }(\sigma_b,\sigma_w)\text{ be either in the ordered or in the chaotic phase. Then, there exist }"
        r"\lambda,\gamma>0\text{ such that }\sup_{x,x'\in\mathbb R^d}|K^L(x,x')-\lambda|\le e^{-\gamma L}\to_{L\to"
        r"\infty}0",
        "off the Edge of Chaos the NTK of every pair tends to one constant", phases.proposition,
    ),
    Claim(
        "HDR.P2.proof", "HDR App. B.2, proof of Proposition 2",
        r"\text{there exist }k,\gamma,l_0>0\text{ and }\alpha\in(0,1)\text{ such that for all }l\ge l_0\text{ we have"
        r" }\sup_{x,x'\in\mathbb R^d}|\Sigma^l(x,x')-k|\le e^{-\gamma l}\text{ and }\sup_{x,x'\in\mathbb R^d}\dot"
        r"\Sigma^l(x,x')\le\alpha",
        "off the Edge of Chaos all covariances tend to one constant and the derivative kernel is below 1", phases.proof,
    ),
    Claim(
        "HDR.P2.const", "HDR App. B.2, proof of Proposition 2",
        r"\text{Letting }r_l=K^l(x,x')-\frac k{1-\alpha}\text{, we have }r_l\le\alpha r_{l-1}",
        "the limit of the NTK in the ordered phase", phases.constant,
    ),
    Claim(
        "HDR.P2.sigdot", "HDR App. B.2, proof of Proposition 2",
        r"\dot\Sigma^l(x,x')=\mathbb E_{f\sim\mathcal N(0,\Sigma^{l-1})}[\phi'(f(x))\phi'(f(x'))]",
        "the derivative kernel of the NTK's recursion, written without sigma_w^2", phases.derivative_kernel,
    ),
    Claim(
        "HDR.AL4", "HDR App. B.2, Appendix Lemma 4",
        r"\forall l\ge0,\ a_{l+1}\le\alpha a_l+ke^{-\beta l}\text{, where }\alpha\in(0,1)\text{ and }k,\beta>0\text{."
        r" Then there exists }\gamma>0\text{ such that }\forall l\ge0,\ a_l\le e^{-\gamma l}",
        "a contraction with an exponentially small source decays exponentially, with no constant in front",
        phases.lemma,
    ),
    Claim(
        "HDR.S6.2-eoc-relu", "HDR Sec. 6.2",
        r"\text{We use }(\sigma_b,\sigma_w)=(0,\sqrt2)\text{ for ReLU},\quad \text{These values are all on the EOC}",
        "the Edge of Chaos of ReLU", edge.relu_point,
    ),
    Claim(
        "HDR.S6.2-eoc-elu", "HDR Sec. 6.2",
        r"(\sigma_b,\sigma_w)=(0.2,1.225)\text{ for ELU},\quad \text{These values are all on the EOC}",
        "a point of the Edge of Chaos of ELU", edge.elu_point,
    ),
    Claim(
        "HDR.S6.2-eoc-tanh", "HDR Sec. 6.2",
        r"(\sigma_b,\sigma_w)=(0.2,1.298)\text{ for Tanh},\quad \text{These values are all on the EOC}",
        "a point of the Edge of Chaos of tanh", edge.tanh_point,
    ),
    Claim(
        "HDR.S6.2-noeoc", "HDR Sec. 6.2",
        r"\text{For activation functions that do not have an EOC, such as Softplus and Sigmoid}",
        "softplus and sigmoid have no Edge of Chaos", edge.without_edge,
    ),
    Claim(
        "HDR.F1a", "HDR Sec. 6.1, Figure 1a",
        r"\text{Figure 1a shows a convergence rate approximately of order }L^{-1}\text{ for ReLU and ELU}",
        "on the Edge of Chaos the measured convergence is approximately of the order 1/L", figure_one.figure_edge,
    ),
    Claim(
        "HDR.F1b", "HDR Sec. 6.1, Figure 1b",
        r"\text{Figure 1b demonstrates that this convergence occurs at an exponential convergence rate in the Ordered"
        r" phase for both ReLU and ELU}",
        "in the ordered phase the convergence is exponential for ReLU and ELU", figure_one.figure_ordered,
    ),
)
