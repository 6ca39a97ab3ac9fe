r"""Claims of Hayou, Doucet and Rousseau (19 February 2020) on dense residual networks: Theorem 2, Appendix Lemma 7."""

from asympt.claims.claim import Claim
from asympt.claims.hdr.residual import maps, theorem
from asympt.claims.scopes import RELU_RESNET

FLOW, NTK = RELU_RESNET.of("correlation", "ntk"), RELU_RESNET.of("ntk")
LEMMA = "HDR App. B.3, proof of Appendix Lemma 7"

CLAIMS = (
    Claim(
        "HDR.AL7.var", LEMMA,
        r"\Sigma^l(x,x)=\Sigma^{l-1}(x,x)+\sigma_w^2/2\Sigma^{l-1}(x,x)=(1+\sigma_w^2/2)^{l-1}\Sigma^1(x,x)",
        "the variance of a ReLU ResNet grows by 1 + sigma_w^2/2 a layer", maps.variance,
    ),
    Claim(
        "HDR.AL7.map", LEMMA,
        r"c^{l+1}=\frac1{1+\alpha}c^l+\frac\alpha{1+\alpha}f(c^l)",
        "the correlation map of a ReLU ResNet mixes the identity and the map of ReLU", maps.correlation_map, FLOW,
    ),
    Claim(
        "HDR.AL7.s", LEMMA,
        r"c^{l+1}=c^l+s(1-c^l)^{3/2}+\kappa'(1-c^l)^{5/2}+\mathcal O((1-c^l)^{7/2}),\quad \text{where }s=\frac{2"
        r"\lambda\sqrt2}{3(1+\alpha)\pi}\text{ and }\kappa'>0",
        "the correlation map of a ReLU ResNet near 1", maps.expansion, FLOW,
    ),
    Claim(
        "HDR.AL7", "HDR App. B.3, Appendix Lemma 7",
        r"c^l(x,x')=1-\delta l^{-2}+\zeta l^{-3}+o(l^{-3}),\quad \text{where }\delta=\frac{9\pi^2(1+\frac{\sigma_w^2}"
        r"2)^2}{2(\frac{\sigma_w^2}2)^2}\text{ and }\zeta,\zeta_{\alpha,\alpha'}>0",
        "the correlation of a ReLU ResNet has no log up to l^(-3)", maps.correlation, FLOW,
    ),
    Claim(
        "HDR.T2.explode", "HDR Theorem 2 and the text after it",
        r"\text{Theorem 2 shows that the NTK of a ReLU ResNet explodes exponentially with respect to }L\text{. Howeve"
        r"r, the normalised kernel }K_{res}^L(x,x')/\alpha_L\text{ where }x\ne x'\text{ converges to a limiting kerne"
        r"l }AK_{res}^\infty",
        "the NTK of a ReLU ResNet explodes like alpha_L", theorem.explodes, NTK,
    ),
    Claim(
        "HDR.T2.diag", "HDR Theorem 2",
        r"\text{for all }x\in\mathbb R^d,\ \frac{K_{res}^L(x,x)}{\alpha_L}=AK_{res}^\infty(x,x)+\Theta(L^{-1}),\quad "
        r"AK_{res}^\infty(x,x')=\frac{\sigma_w^2\|x\|\|x'\|}d(1-(1-\lambda)\mathbb 1_{x\ne x'}),\quad \alpha_L=L(1+"
        r"\frac{\sigma_w^2}2)^{L-1}",
        "the normalised NTK of one input tends to its variance in the first layer", theorem.diagonal, NTK,
    ),
    Claim(
        "HDR.T2.offdiag", "HDR Theorem 2",
        r"\text{there exists }\lambda\in(0,1)\text{ such that }\sup_{x\ne x'\in\mathbb R^d}\Bigl|\frac{K_{res}^L(x,x'"
        r")}{\alpha_L}-\frac{\|x\|\times\|x'\|}d\lambda\Bigr|=\Theta(L^{-1})",
        "off the diagonal the normalised NTK tends to a share lambda below 1 of |x||x'|/d", theorem.limits, NTK,
    ),
    Claim(
        "HDR.T2.rate", "HDR Theorem 2",
        r"\text{there exists }\lambda\in(0,1)\text{ such that }\sup_{x\ne x'\in\mathbb R^d}\Bigl|\frac{K_{res}^L(x,x'"
        r")}{\alpha_L}-\frac{\|x\|\times\|x'\|}d\lambda\Bigr|=\Theta(L^{-1})",
        "the normalised NTK of a ReLU ResNet reaches its limit at the exact rate 1/L", theorem.rate, NTK,
    ),
    Claim(
        "HDR.T2.fp", "HDR App. B.3, proof of Theorem 2",
        r"f'(c^l(x,x'))=1-\frac{\sqrt2}\pi\delta^{1/2}l^{-1}+\frac{\delta^{-1/2}\zeta}2l^{-2}+O(l^{-3}),\quad 1+\dot"
        r"\Sigma^l(x,x')=(1+\alpha)(1-3l^{-1}+\kappa l^{-2}+O(l^{-3}))",
        "the slope along the orbit of a ReLU ResNet has no log up to l^(-2)", maps.slope, FLOW,
    ),
    Claim(
        "HDR.F1c", "HDR Sec. 6.1, Figure 1c",
        r"\text{Figure 1c shows the convergence rate in the case of FFNN with residual connections. As predicted by t"
        r"heorem 2, the convergence rate }\mathcal O(L^{-1})\text{ is independent of the parameter }\sigma_w\text{ in"
        r" that case}",
        "with residual connections the measured rate is 1/L for every sigma_w", theorem.figure,
    ),
)
