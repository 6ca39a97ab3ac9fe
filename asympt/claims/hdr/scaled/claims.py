r"""Claims of Hayou, Doucet and Rousseau (19 February 2020) on the scaled ResNet: Proposition 3, Appendix Lemma 8."""

from asympt.claims.claim import Claim
from asympt.claims.hdr.scaled import kernels, orbits
from asympt.claims.scopes import RELU_SCALED_RESNET

FLOW, NTK = RELU_SCALED_RESNET.of("correlation", "ntk"), RELU_SCALED_RESNET.of("ntk")
PROOF = "HDR App. B.3, proof of Proposition 3"

CLAIMS = (
    Claim(
        "HDR.AL8", "HDR App. B.3, Appendix Lemma 8",
        r"1-c^l=\frac\kappa{\log(l)^2}-\frac\zeta{\log(l)^3}+o(\log(l)^{-3}),\quad\kappa,\zeta>0,\ "
        r"\kappa=\frac{16}{s^2\sigma_w^4},\ s=\frac{2\sqrt2}{3\pi}",
        "the correlation of a scaled ReLU ResNet reaches 1 like 1/log(l)^2, with a negative second term",
        orbits.lemma, FLOW,
    ),
    Claim(
        "HDR.AL8.map", "HDR App. B.3, proof of Appendix Lemma 8",
        r"c^l=\frac1{1+\alpha_l}c^{l-1}+\frac{\alpha_l}{1+\alpha_l}f(c^{l-1}),\ \alpha_l=\frac{\sigma_w^2}{2l};\quad"
        r"\gamma_l^{-1/2}\sim\frac{s\sigma_w^2}4\log l",
        "the correlation of a scaled ReLU ResNet moves by a share alpha_l/(1 + alpha_l) of ReLU's map",
        orbits.correlation_map, FLOW,
    ),
    Claim(
        "HDR.P3.prod", PROOF,
        r"\prod_{k=1}^l\Bigl(1+\frac{\sigma_w^2}{2k}\Bigr)\sim l^{\sigma_w^2/2},\quad"
        r"\Sigma^l(x,x)=\Bigl[\prod_{k=1}^l\Bigl(1+\frac{\sigma_w^2}{2k}\Bigr)\Bigr]\frac{\sigma_w^2}d\|x\|^2",
        "the variance of a scaled ReLU ResNet is a product from k = 1 that is asymptotically l^(sigma_w^2/2)",
        kernels.product, NTK,
    ),
    Claim(
        "HDR.P3.rec", PROOF,
        r"K^l_{res}(x,x)=K^{l-1}_{res}(x,x)\Bigl(1+\frac{\sigma_w^2}{2l}\Bigr)+\Sigma^l(x,x)",
        "a layer of a scaled ReLU ResNet adds its whole variance to the NTK", kernels.recursion, NTK,
    ),
    Claim(
        "HDR.P3.alpha", "HDR Sec. 4.2, Proposition 3",
        r"\alpha_L=L^{1+\sigma_w^2/2}",
        "the NTK of a scaled ReLU ResNet grows like L^(1 + sigma_w^2/2)", kernels.normaliser, NTK,
    ),
    Claim(
        "HDR.P3.rate", "HDR Sec. 4.2, Proposition 3",
        r"\text{the normalised NTK converges at the rate}\ \Theta(\log(L)^{-1})",
        "the normalised NTK of a scaled ReLU ResNet converges at the exact rate 1/log L", kernels.rate, NTK,
    ),
    Claim(
        "HDR.P3.lambda", PROOF,
        r"a_l=\lambda_la_{l-1}+b_l,\quad\lambda_l=1-l^{-1}-3l^{-1}\log(l)^{-1}+O(l^{-1}\log(l)^{-2}),\quad "
        r"b_l=q+O(\log(l)^{-2}),\quad\frac{a_l}l-q\to0",
        "the normalised NTK off the diagonal obeys a recursion with multiplier 1 - 1/l - 3/(l log l)",
        kernels.multiplier, NTK,
    ),
    Claim(
        "HDR.P3.fp", PROOF,
        r"f'(c^l)=1-\frac6{\sigma_w^2}\log(l)^{-1}+\zeta'\log(l)^{-2}+O(\log(l)^{-3}),\quad"
        r"1+\dot\Sigma^l=1+\frac{\sigma_w^2}{2l}-3l^{-1}\log(l)^{-1}+O(l^{-1}\log(l)^{-2})",
        "the slope of ReLU's map along the orbit of a scaled ResNet", orbits.slope, FLOW,
    ),
    Claim(
        "HDR.P3.limit", "HDR App. B.3, after the proof of Proposition 3",
        r"\hat K^L_{res}=qU+\log(L)^{-1}\Theta(M_L),\quad U=(1)_{ij}",
        "off the diagonal the normalised NTK of a scaled ReLU ResNet tends to the limit of the diagonal",
        kernels.limit, NTK,
    ),
)
