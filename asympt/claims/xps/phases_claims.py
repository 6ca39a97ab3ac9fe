r"""Claims of the slides on Xiao, Pennington and Schoenholz, "Disentangling Trainability and Generalization in Deep
Neural Networks": correlations and the NTK in the ordered and in the chaotic phase.
"""

from asympt.claims.claim import Claim
from asympt.claims.hdr.off_edge import general_map
from asympt.claims.xps import phases

CLAIMS = (
    Claim(
        "XPS.f1",
        "XPS slides, Recursive Correlation",
        r"f(1)=1,\ f'(1)=\sigma_w^2\int[\phi'(\sqrt{q^*}z)]^2Dz,\ f'(c)=\sigma_w^2\dot{\mathcal T}(cq^*)",
        "value and slope of the correlation map",
        general_map.slope_identity,
    ),
    Claim(
        "XPS.phases",
        "XPS slides, Ordered / Chaotic",
        r"f'(1)<1\Rightarrow c^{(l)}\to1;\quad f'(1)>1\Rightarrow\lim c^{(l)}<1",
        "the two phases of tanh",
        phases.phases,
    ),
    Claim(
        "XPS.2b",
        "XPS slides, Dynamics in terms of new notation",
        r"p_{ab}^{(l+1)}=q_{ab}^{(l+1)}+\sigma_w^2\dot{\mathcal T}(q_{ab}^{(l)})p_{ab}^{(l)},\ "
        r"p_{aa}^{(l+1)}=q^*+f'(1)p_{aa}^{(l)}",
        "the recursion of the NTK at the fixed point of the variance",
        phases.dynamics,
    ),
    Claim(
        "XPS.chaos.paa",
        "XPS slides, Chaotic regime, 2.b",
        r"p_{aa}^{(l+1)}=\sum_{i=0}^{l+1}q^*f'(1)^i=\frac{f'(1)^{l+1}-1}{f'(1)-1}q^*",
        "the NTK of one input as a geometric sum",
        phases.chaotic_diagonal,
    ),
    Claim(
        "XPS.chaos.paa-asym",
        "XPS slides, Chaotic regime, 2.b",
        r"\frac{f'(1)^{l+1}-1}{f'(1)-1}q^*\approx f'(1)^lq^*\to\infty",
        "how the NTK of one input grows",
        phases.chaotic_growth,
    ),
    Claim(
        "XPS.chaos.pab",
        "XPS slides, Chaotic regime, 2.a",
        r"p_{ab}^{(l)}\to\frac{c^*q^*}{1-f'(c^*)}",
        "the limit of the NTK of two inputs in the chaotic phase",
        phases.chaotic_pairs,
    ),
    Claim(
        "XPS.chaos.nngp",
        "XPS slides, Chaotic regime, NNGP spectrum",
        r"\lambda_0=q^*((n-1)c^*+1),\ \lambda_{bulk}=q^*(1-c^*)",
        "the spectrum of the limiting NNGP kernel",
        phases.nngp_spectrum,
    ),
    Claim(
        "XPS.chaos.ntk",
        "XPS slides, Chaotic regime, Spectrum NTK",
        r"\frac1{p_{aa}}\Theta^{(l)}(X,X)\to I,\ \kappa(\Theta^{(l)})\to1",
        "the condition number of the NTK in the chaotic phase",
        phases.ntk_condition,
    ),
    Claim(
        "XPS.ord.paa",
        "XPS slides, Ordered regime",
        r"p_{aa}^{(l+1)}=\sum_{i=0}^{l+1}q^*f'(1)^i\to\frac{q^*}{1-f'(1)}=p_{ab}^*",
        "the NTK of one input in the ordered phase",
        phases.ordered_diagonal,
    ),
    Claim(
        "XPS.eps",
        "XPS slides, Define epsilon, delta",
        r"\epsilon_{ab}^{(l+1)}\approx f'(c^*)^{l+1}\epsilon_{ab}^{(0)}",
        "how a small deviation of the covariance decays",
        phases.epsilon,
    ),
    Claim(
        "XPS.delta",
        "XPS slides, Define epsilon, delta",
        r"\delta_{ab}^{(l+1)}\approx f'(c^*)^{l+1}\Bigl(\delta^{(0)}+l\Bigl(1+\frac{f''(c^*)}{f'(c^*)}p_{ab}^*\Bigr)"
        r"\epsilon^{(0)}\Bigr)",
        "how a small deviation of the NTK decays",
        phases.delta,
    ),
)
