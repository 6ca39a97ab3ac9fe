r"""Claims of Hayou, Doucet and Rousseau (19 February 2020) on dense residual networks: Theorem 2, Appendix Lemma 7."""

from asympt.claims.claim import Claim
from asympt.claims.hdr.residual import maps, theorem
from asympt.claims.scopes import RELU_RESNET

FLOW, NTK = RELU_RESNET.of("correlation", "ntk"), RELU_RESNET.of("ntk")
LEMMA = "HDR App. B.3, proof of Appendix Lemma 7"

CLAIMS = (
    Claim(
        "HDR.AL7.var", LEMMA,
        r"\Sigma^l(x,x)=\Bigl(1+\frac{\sigma_w^2}2\Bigr)^{l-1}\Sigma^1(x,x)",
        "the variance of a ReLU ResNet grows by 1 + sigma_w^2/2 a layer", maps.variance,
    ),
    Claim(
        "HDR.AL7.map", LEMMA,
        r"c^{l+1}=\frac1{1+\alpha}c^l+\frac\alpha{1+\alpha}f(c^l),\quad\alpha=\frac{\sigma_w^2}2",
        "the correlation map of a ReLU ResNet mixes the identity and the map of ReLU", maps.correlation_map, FLOW,
    ),
    Claim(
        "HDR.AL7.s", LEMMA,
        r"c^{l+1}=c^l+s(1-c^l)^{3/2}+\kappa'(1-c^l)^{5/2}+O((1-c^l)^{7/2}),\quad "
        r"s=\frac{2\lambda\sqrt2}{3(1+\alpha)\pi},\ \kappa'>0",
        "the correlation map of a ReLU ResNet near 1", maps.expansion, FLOW,
    ),
    Claim(
        "HDR.AL7", "HDR App. B.3, Appendix Lemma 7",
        r"c^l=1-\delta l^{-2}+\zeta l^{-3}+o(l^{-3}),\quad"
        r"\delta=\frac{9\pi^2(1+\frac{\sigma_w^2}2)^2}{2(\frac{\sigma_w^2}2)^2},\ \zeta>0",
        "the correlation of a ReLU ResNet has no log up to l^(-3)", maps.correlation, FLOW,
    ),
    Claim(
        "HDR.T2.explode", "HDR Theorem 2 and the text after it",
        r"\alpha_L=L\Bigl(1+\frac{\sigma_w^2}2\Bigr)^{L-1}:\ 0<\lim K^L_{res}(x,x)/\alpha_L<\infty"
        r"\ \text{for all}\ \sigma_w>0",
        "the NTK of a ReLU ResNet explodes like alpha_L", theorem.explodes, NTK,
    ),
    Claim(
        "HDR.T2.diag", "HDR Theorem 2",
        r"\frac{K^L_{res}(x,x)}{\alpha_L}=\frac{\sigma_w^2\|x\|^2}d+\Theta(L^{-1})",
        "the normalised NTK of one input tends to its variance in the first layer", theorem.diagonal, NTK,
    ),
    Claim(
        "HDR.T2.offdiag", "HDR Theorem 2",
        r"\frac{K^L_{res}(x,x')}{\alpha_L}\to\frac{\|x\|\|x'\|}d\lambda,\quad\lambda\in(0,1)",
        "off the diagonal the normalised NTK tends to a share lambda below 1 of |x||x'|/d", theorem.limits, NTK,
    ),
    Claim(
        "HDR.T2.rate", "HDR Theorem 2",
        r"\sup_{x\neq x'}\Bigl|\frac{K^L_{res}(x,x')}{\alpha_L}-\frac{\|x\|\|x'\|}d\lambda\Bigr|=\Theta(L^{-1})",
        "the normalised NTK of a ReLU ResNet reaches its limit at the exact rate 1/L", theorem.rate, NTK,
    ),
    Claim(
        "HDR.T2.fp", "HDR App. B.3, proof of Theorem 2",
        r"f'(c^l)=1-\frac{\sqrt2}\pi\delta^{1/2}l^{-1}+\frac{\delta^{-1/2}\zeta}2l^{-2}+O(l^{-3}),\quad"
        r"1+\dot\Sigma^l=(1+\alpha)(1-3l^{-1}+\kappa l^{-2}+O(l^{-3}))",
        "the slope along the orbit of a ReLU ResNet has no log up to l^(-2)", maps.slope, FLOW,
    ),
    Claim(
        "HDR.F1c", "HDR Sec. 6.1, Figure 1c",
        r"|K^L/\alpha_L-AK^\infty|=\mathcal O(L^{-1})\ \text{independent of}\ \sigma_w",
        "with residual connections the measured rate is 1/L for every sigma_w", theorem.figure,
    ),
)
