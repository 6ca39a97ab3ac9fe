r"""Claims of Hayou, Doucet and Rousseau (19 February 2020) on the scaled ResNet: Proposition 3, Appendix Lemma 8."""

from asympt.claims.claim import Claim
from asympt.claims.hdr.scaled import kernels, orbits
from asympt.claims.scopes import RELU_SCALED_RESNET

FLOW, NTK = RELU_SCALED_RESNET.of("correlation", "ntk"), RELU_SCALED_RESNET.of("ntk")
PROOF = "HDR App. B.3, proof of Proposition 3"

CLAIMS = (
    Claim(
        "HDR.AL8", "HDR App. B.3, Appendix Lemma 8",
        r"\text{Then there exists }\kappa,\zeta>0\text{ such that }1-c^l=\frac\kappa{\log(l)^2}-\frac\zeta{\log(l)^3}"
        r"+o(\frac1{\log(l)^3}),\quad \text{where }\kappa=16/s^2\sigma_w^4,\quad \text{where }s=\frac{2\sqrt2}{3\pi}",
        "the correlation of a scaled ReLU ResNet reaches 1 like 1/log(l)^2, with a negative second term",
        orbits.lemma, FLOW,
    ),
    Claim(
        "HDR.AL8.map", "HDR App. B.3, proof of Appendix Lemma 8",
        r"c^l=\frac1{1+\alpha_l}c^{l-1}+\frac{\alpha_l}{1+\alpha_l}f(c^{l-1}),\quad \text{where }\alpha_l=\frac{"
        r"\sigma_w^2}{2l},\quad \gamma_l^{-1/2}\sim\frac{s\sigma_w^2}4\log(l)",
        "the correlation of a scaled ReLU ResNet moves by a share alpha_l/(1 + alpha_l) of ReLU's map",
        orbits.correlation_map, FLOW,
    ),
    Claim(
        "HDR.P3.prod", PROOF,
        r"\Sigma^l(x,x)=\Sigma^{l-1}(x,x)+\frac{\sigma_w^2}{2l}\times\Sigma^{l-1}(x,x)=\Bigl[\prod_{k=1}^l(1+\sigma_w"
        r"^2/2k)\Bigr]\frac{\sigma_w^2}d\|x\|^2,\quad \prod_{k=1}^l(1+\sigma_w^2/2k)\sim l^{\sigma_w^2/2}",
        "the variance of a scaled ReLU ResNet is a product from k = 1 that is asymptotically l^(sigma_w^2/2)",
        kernels.product, NTK,
    ),
    Claim(
        "HDR.P3.rec", PROOF,
        r"K_{res}^l(x,x)=K_{res}^{l-1}(x,x)(1+\frac{\sigma_w^2}{2l})+\Sigma^l(x,x)",
        "a layer of a scaled ReLU ResNet adds its whole variance to the NTK", kernels.recursion, NTK,
    ),
    Claim(
        "HDR.P3.alpha", "HDR Sec. 4.2, Proposition 3",
        r"\text{the scaling factor }\alpha_L\text{ in Theorem 2 becomes }\alpha_L=L^{1+\sigma_w^2/2}",
        "the NTK of a scaled ReLU ResNet grows like L^(1 + sigma_w^2/2)", kernels.normaliser, NTK,
    ),
    Claim(
        "HDR.P3.rate", "HDR Sec. 4.2, Proposition 3",
        r"\text{the convergence rate is }\Theta(\log(L)^{-1})",
        "the normalised NTK of a scaled ReLU ResNet converges at the exact rate 1/log L", kernels.rate, NTK,
    ),
    Claim(
        "HDR.P3.lambda", PROOF,
        r"a_l=\lambda_la_{l-1}+b_l,\quad \lambda_l=1-l^{-1}-3l^{-1}\log(l)^{-1}+O(l^{-1}\log(l)^{-2}),\quad b_l=\sqrt"
        r"{\Sigma^1(x,x)}\sqrt{\Sigma^1(x,x)}f(c^l(x,x'))=q+O(\log(l)^{-2}),\quad \text{Let }x_l=\frac{a_l}l-q,\quad "
        r"x_{l-1}(1-\frac1l)-Al^{-1}\log(l)^{-1}\le x_l\le x_{l-1}(1-\frac1l)-Bl^{-1}\log(l)^{-1}",
        "the normalised NTK off the diagonal obeys a recursion with multiplier 1 - 1/l - 3/(l log l)",
        kernels.multiplier, NTK,
    ),
    Claim(
        "HDR.P3.fp", PROOF,
        r"f'(c^l(x,x'))=1-\frac6{\sigma_w^2}\log(l)^{-1}+\zeta'\log(l)^{-2}+O(\log(l)^{-3}),\quad 1+\dot\Sigma^l(x,x'"
        r")=1+\frac{\sigma_w^2}{2l}-3l^{-1}\log(l)^{-1}+\zeta''l^{-1}\log(l)^{-2}+O(l^{-1}\log(l)^{-3})",
        "the slope of ReLU's map along the orbit of a scaled ResNet", orbits.slope, FLOW,
    ),
    Claim(
        "HDR.P3.limit", "HDR App. B.3, after the proof of Proposition 3",
        r"\hat K_{res}^l=qU+\log(L)^{-1}\Theta(M_L),\quad \text{where }U\text{ is the matrix of ones, and }M_L\text{ "
        r"has all elements but the diagonal equal to 1}",
        "off the diagonal the normalised NTK of a scaled ReLU ResNet tends to the limit of the diagonal",
        kernels.limit, NTK,
    ),
)
