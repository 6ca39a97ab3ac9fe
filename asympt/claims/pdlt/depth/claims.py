r"""Claims of Roberts, Yaida and Hanin, "The Principles of Deep Learning Theory" (2022), chapter 10: depth.

The numbers are those of the equations; fn is a footnote.
"""

from asympt.claims.claim import Claim
from asympt.claims.pdlt.depth import constant, invariant, vanishing

SECOND = r"\delta\delta\Theta_{[2]}^{(\ell)}"
MIDPOINT = r"\tilde\lambda_b+\frac{\tilde\lambda_W\sigma_1^2}{(-a_1)}"

CLAIMS = (
    Claim(
        "PDLT.10.43", "PDLT Sec. 10.2.4, footnote 21, eqs. (10.42)-(10.43)",
        r"\hat R^{(\ell+1)}_i=a_b\lambda_bb_i+a_W\frac{\lambda_W}{n_\ell}\sum_jW_{ij}\sigma_j"
        r"+\sum_jW_{ij}\sigma'_j\hat R^{(\ell)}_j",
        "the recursion of a regulariser's contribution",
    ),
    Claim(
        "PDLT.10.45", "PDLT Sec. 10.2.4, eqs. (10.44)-(10.45), (10.64)",
        r"K^{(\ell+1)}=C_b+C_W\langle\sigma\sigma\rangle,\ \Theta^{(\ell+1)}=\lambda_b+\lambda_W"
        r"\langle\sigma\sigma\rangle+C_W\langle\sigma'\sigma'\rangle\Theta^{(\ell)}",
        "the layer recursion of kernel and NTK with learning rates of their own",
    ),
    Claim(
        "PDLT.10.49", "PDLT Sec. 10.2.4, eqs. (10.46)-(10.49)",
        r"\lambda_b^{(L)}=C_b^{(L)},\ \lambda_W^{(L)}=C_W^{(L)},\ \lambda^{(\ell<L)}=0\Rightarrow\Theta^{(L)}=K^{(L)}",
        "training the last layer only is Bayesian inference",
    ),
    Claim(
        "PDLT.10.62", "PDLT Sec. 10.3.1, eqs. (10.58)-(10.62)",
        r"\frac{\Theta_{-+}}{\Theta_{++}}-1=-2\frac{\delta\delta\Theta_{[2]}}{\Theta_{00}}+O(\delta^4)",
        "robustness for nearby inputs of equal norm",
    ),
    Claim(
        "PDLT.10.63", "PDLT Sec. 10.3.1, eq. (10.63)",
        r"K_{--}-2\frac{\Theta_{-+}}{\Theta_{++}}K_{-+}+\Bigl(\frac{\Theta_{-+}}{\Theta_{++}}\Bigr)^2K_{++}"
        r"=4\delta\delta K_{[2]}+O(\delta^4)",
        "prediction variance for nearby inputs of equal norm",
    ),
    Claim(
        "PDLT.10.65",
        "PDLT Sec. 10.3.1, footnote 30, eq. (10.65)",
        r"\frac{\Theta_{-+}}{\Theta_{++}}-1=-\frac{\delta\Theta_{[1]}}{\Theta_{00}}"
        r"-2\frac{\delta\delta\Theta_{[2]}}{\Theta_{00}}+\Bigl(\frac{\delta\Theta_{[1]}}{\Theta_{00}}\Bigr)^2+O(\delta^3)",
        "robustness for nearby inputs of any norms",
    ),
    Claim(
        "PDLT.10.66", "PDLT Sec. 10.3.1, footnote 30, eq. (10.66)",
        r"\mathrm{Cov}=4\delta\delta K_{[2]}-2\delta K_{[1]}\frac{\delta\Theta_{[1]}}{\Theta_{00}}"
        r"+K_{00}\Bigl(\frac{\delta\Theta_{[1]}}{\Theta_{00}}\Bigr)^2+O(\delta^3)",
        "prediction variance for nearby inputs of any norms",
    ),
    Claim(
        "PDLT.10.67", "PDLT Sec. 10.3.1, footnote 30, eq. (10.67)",
        r"\delta\Theta_{[1]}^{(\ell+1)}=\chi_\perp\delta\Theta_{[1]}^{(\ell)}+\Bigl(\frac{\lambda_W}{C_W}\chi_\parallel"
        r"+\frac{C_W}{K_{00}}\langle z\sigma'\sigma''\rangle\Theta_{00}\Bigr)\delta K_{[1]}^{(\ell)}",
        "the parallel component of the NTK",
    ),
    Claim(
        "PDLT.10.70", "PDLT Sec. 10.3.1, eqs. (10.68)-(10.70)",
        r"\delta\delta\Theta_{[2]}^{(\ell+1)}=\chi_\perp\delta\delta\Theta_{[2]}^{(\ell)}+\Bigl(\frac{\lambda_W}{C_W}"
        r"\chi_\perp+C_W\langle\sigma''\sigma''\rangle\Theta_{00}\Bigr)\delta\delta K_{[2]}^{(\ell)}",
        "the perpendicular component of the NTK",
    ),
    Claim(
        "PDLT.10.71", "PDLT Sec. 10.3.1, eqs. (10.71)-(10.72)",
        r"K_{00}^{(\ell)}\sim\frac1{(-a_1)\ell},\ \delta\delta K_{[2]}^{(\ell)}\sim\delta^2\ell^{-p_\perp},\ "
        r"\chi_\perp=1-\frac{p_\perp}\ell+\dots,\ p_\perp=\frac{b_1}{a_1}",
        "the kernel in the class K* = 0 at criticality", vanishing.universality,
    ),
    Claim(
        "PDLT.10.75", "PDLT Sec. 10.3.1, eqs. (10.74)-(10.75)",
        rf"\Theta_{{00}}^{{(\ell)}}=\Bigl[{MIDPOINT}\Bigr](L/\ell)^{{p_\perp-1}}+\dots",
        "the midpoint NTK for the learning rates of the equivalence principle", vanishing.midpoint,
    ),
    Claim(
        "PDLT.10.77", "PDLT Sec. 10.3.1, eqs. (10.76)-(10.77)",
        rf"{SECOND}=\delta^2\frac{{L^{{p_\perp-1}}}}{{2-p_\perp}}\Bigl\{{\tilde\lambda_W\sigma_1^2"
        rf"+\frac{{\sigma_2^2}}{{\sigma_1^2}}\Bigl[{MIDPOINT}\Bigr]\Bigr\}}\ell^{{2-2p_\perp}}+\dots",
        "the perpendicular component for the learning rates of the equivalence principle", vanishing.second_component,
    ),
    Claim(
        "PDLT.10.78", "PDLT Sec. 10.3.1, eq. (10.78)",
        r"\frac{-2\delta\delta\Theta_{[2]}^{(L)}}{\Theta_{00}^{(L)}}=\frac{2\delta^2}{p_\perp-2}\Bigl\{"
        rf"\frac{{\tilde\lambda_W\sigma_1^2}}{{{MIDPOINT}}}+\frac{{\sigma_2^2}}{{\sigma_1^2}}\Bigr\}}L^{{1-p_\perp}}",
        "robustness for the learning rates of the equivalence principle", vanishing.robustness_scheduled,
    ),
    Claim(
        "PDLT.fn33", "PDLT Sec. 10.3.1, footnote 33",
        r"b_1\ge a_1,\ a_1<0\Rightarrow p_\perp\le1;\ p_\perp<1\text{ if }\sigma_2\ne0",
        "the exponent of perpendicular perturbations is at most 1", vanishing.exponent_bound,
    ),
    Claim(
        "PDLT.10.79", "PDLT Sec. 10.3.1, eq. (10.79)",
        r"\Theta_{00}^{(\ell)}=\Bigl(\frac{\lambda_b}2\Bigr)\ell+\dots",
        "the midpoint NTK for odd activations and layer-independent learning rates", constant.midpoint_constant,
    ),
    Claim(
        "PDLT.10.80", "PDLT Sec. 10.3.1, eq. (10.80)",
        rf"{SECOND}=\lambda_W\sigma_1^2\delta^2+\dots",
        "the perpendicular component for odd activations and layer-independent learning rates",
        constant.second_constant,
    ),
    Claim(
        "PDLT.10.81", "PDLT Sec. 10.3.1, eq. (10.81)",
        r"\frac{-2\delta\delta\Theta_{[2]}^{(L)}}{\Theta_{00}^{(L)}}=\Bigl[\frac{-4\lambda_W\sigma_1^2\delta^2}"
        r"{\lambda_b}\Bigr]\frac1L+\dots",
        "robustness for odd activations and layer-independent learning rates", constant.robustness_constant,
    ),
    Claim(
        "PDLT.10.81-remark", "PDLT Sec. 10.3.1, remark after eq. (10.81)",
        r"\text{layer-independent learning rates: activations with }p_\perp\ne1\text{ do not change the decay with }L",
        "robustness for layer-independent learning rates and activations that are not odd", constant.robustness_not_odd,
    ),
    Claim(
        "PDLT.10.85", "PDLT Sec. 10.3.1, eqs. (10.83)-(10.86)",
        r"\langle\sigma_+\sigma_-\rangle=A_2K_d\{\cos\psi+\rho[\sin\psi-\psi\cos\psi]\},\ "
        r"\langle\sigma'_+\sigma'_-\rangle=A_2(1-\rho\psi)",
        "Gaussian means of scale-invariant activations",
    ),
    Claim(
        "PDLT.10.90", "PDLT Sec. 10.3.1, eq. (10.90)",
        r"K_d^{(\ell)}=K_d^*,\ \psi^{(\ell)}=\frac3\rho\frac1\ell+\dots",
        "the angle of the kernel at criticality", invariant.angle,
    ),
    Claim(
        "PDLT.10.91", "PDLT Sec. 10.3.1, eqs. (10.88), (10.91)",
        r"\Theta_d^{(\ell)}=(\tilde\lambda_b+\tilde\lambda_WA_2K_d^*)\frac\ell L",
        "the diagonal NTK for the learning rates of the equivalence principle", invariant.diagonal,
    ),
    Claim(
        "PDLT.10.92", "PDLT Sec. 10.3.1, eqs. (10.89), (10.92)-(10.93)",
        r"\cos\zeta^{(\ell+1)}=\Bigl(1-\frac4\ell+\dots\Bigr)\cos\zeta^{(\ell)}+\Bigl(\frac1\ell+\dots\Bigr),\ "
        r"\cos\zeta^{(\ell)}\to\frac14",
        "the angle of the NTK at criticality", invariant.zeta,
    ),
    Claim(
        "PDLT.10.94", "PDLT Sec. 10.3.1, eqs. (10.94)-(10.95)",
        r"\frac{\Theta_{-+}}{\Theta_{++}}-1\to-\frac34,\ K_d^*(1-\cos\zeta)^2\to\frac9{16}K_d^*",
        "robustness and prediction variance of nonlinear scale-invariant activations", invariant.robustness,
    ),
    Claim(
        "PDLT.fn37", "PDLT Sec. 10.3.1, footnote 37",
        r"\Theta=K:\ \cos\psi^{(L)}-1=O(L^{-2})",
        "robustness of Bayesian inference with scale-invariant activations", invariant.bayesian,
    ),
    Claim(
        "PDLT.10.97", "PDLT Sec. 10.3.1, eqs. (10.96)-(10.98)",
        r"\Theta_d\cos\zeta^{(\ell)}=[\tilde\lambda_b+\tilde\lambda_WA_2K_d^*\cos\psi^*]\frac{\ell-1}L+\Theta_d^{(1)}"
        r"\cos\zeta^{(1)},\ \cos\zeta^{(\ell)}=\frac{\tilde\lambda_b+\tilde\lambda_WA_2K_d^*\cos\psi^*}"
        r"{\tilde\lambda_b+\tilde\lambda_WA_2K_d^*}+\dots\text{, which polynomially asymptotes to a constant}",
        "the angle of the NTK of deep linear networks", invariant.linear,
    ),
)
