r"""Claims of Roberts, Yaida and Hanin, "The Principles of Deep Learning Theory" (2022), chapter 10: depth.

The numbers are those of the equations; fn is a footnote.
"""

from asympt.claims.claim import Claim
from asympt.claims.pdlt.depth import constant, invariant, vanishing

CLAIMS = (
    Claim(
        "PDLT.10.43", "PDLT Sec. 10.2.4, footnote 21, eqs. (10.42)-(10.43)",
        r"\hat{\mathcal{R}}_{i;\delta}^{(\ell+1)}=a_b^{(\ell+1)}\lambda_b^{(\ell+1)}b_i^{(\ell+1)}+a_W^{(\ell+1)}"
        r"\frac{\lambda_W^{(\ell+1)}}{n_\ell}\sum_{j=1}^{n_\ell}W_{ij}^{(\ell+1)}\sigma_{j;\delta}^{(\ell)}+\sum_{j=1"
        r"}^{n_\ell}W_{ij}^{(\ell+1)}\sigma_{j;\delta}'^{(\ell)}\hat{\mathcal{R}}_{j;\delta}^{(\ell)}",
        "the recursion of a regulariser's contribution",
    ),
    Claim(
        "PDLT.10.45", "PDLT Sec. 10.2.4, eqs. (10.44)-(10.45), (10.64)",
        r"K_{\delta_1 \delta_2}^{(L)}=C_b^{(L)}+C_W^{(L)}\langle \sigma_{\delta_1}\sigma_{\delta_2}\rangle_{K^{(L-1)}"
        r"},\quad \Theta_{\delta_1\delta_2}^{(\ell+1)}=\lambda_b^{(\ell+1)}+\lambda_W^{(\ell+1)}\langle \sigma_{"
        r"\delta_1}\sigma_{\delta_2}\rangle_{K^{(\ell)}}+C_W \langle \sigma'_{\delta_1}\sigma'_{\delta_2}\rangle_{K^{"
        r"(\ell)}}\Theta_{\delta_1\delta_2}^{(\ell)}",
        "the layer recursion of kernel and NTK with learning rates of their own",
    ),
    Claim(
        "PDLT.10.49", "PDLT Sec. 10.2.4, eqs. (10.46)-(10.49)",
        r"\lambda_b^{(L)}=C_b^{(L)},\quad \lambda_W^{(L)}=C_W^{(L)},\quad \lambda_b^{(\ell)}=0,\quad \lambda_W^{(\ell"
        r")}=0,\quad \text{for }\ell<L,\quad \Theta_{\delta_1 \delta_2}^{(L)}=K_{\delta_1 \delta_2}^{(L)}",
        "training the last layer only is Bayesian inference",
    ),
    Claim(
        "PDLT.10.62", "PDLT Sec. 10.3.1, eqs. (10.58)-(10.62)",
        r"\frac{\Theta_{-+}}{\Theta_{++}}-1=\Bigl(\frac{\Theta_{[0]}-\Theta_{[2]}}{\Theta_{[0]}+\Theta_{[2]}}-1 \Bigr"
        r")=-2 \frac{\delta\delta\Theta_{[2]}}{\Theta_{00}}+O(\delta^4)",
        "robustness for nearby inputs of equal norm",
    ),
    Claim(
        "PDLT.10.63", "PDLT Sec. 10.3.1, eq. (10.63)",
        r"\mathrm{Cov}\bigl[z_{i,-}^{(L)}(T),z_{i,-}^{(L)}(T)\bigr]=K_{--}-2\frac{\Theta_{-+}}{\Theta_{++}}K_{-+}+"
        r"\Bigl(\frac{\Theta_{-+}}{\Theta_{++}}\Bigr)^2 K_{++}=K_{[0]}+K_{[2]}-2\Bigl(\frac{\Theta_{[0]}-\Theta_{[2]}"
        r"}{\Theta_{[0]}+\Theta_{[2]}}\Bigr)(K_{[0]}-K_{[2]})+\Bigl(\frac{\Theta_{[0]}-\Theta_{[2]}}{\Theta_{[0]}+"
        r"\Theta_{[2]}}\Bigr)^2(K_{[0]}+K_{[2]})=4\delta\delta K_{[2]}+O(\delta^4)",
        "prediction variance for nearby inputs of equal norm",
    ),
    Claim(
        "PDLT.10.65",
        "PDLT Sec. 10.3.1, footnote 30, eq. (10.65)",
        r"\frac{\Theta_{-+}}{\Theta_{++}}-1=-\frac{\delta\Theta_{[1]}}{\Theta_{00}}-2\frac{\delta\delta\Theta_{[2]}}{"
        r"\Theta_{00}}+\Bigl(\frac{\delta\Theta_{[1]}}{\Theta_{00}}\Bigr)^2+O(\delta^3)",
        "robustness for nearby inputs of any norms",
    ),
    Claim(
        "PDLT.10.66", "PDLT Sec. 10.3.1, footnote 30, eq. (10.66)",
        r"\mathrm{Cov}\bigl[z_{i,-}^{(L)}(T),z_{i,-}^{(L)}(T)\bigr]=4\delta\delta K_{[2]}-2\delta K_{[1]}\frac{\delta"
        r"\Theta_{[1]}}{\Theta_{00}}+K_{00}\Bigl(\frac{\delta\Theta_{[1]}}{\Theta_{00}}\Bigr)^2+O(\delta^3)",
        "prediction variance for nearby inputs of any norms",
    ),
    Claim(
        "PDLT.10.67", "PDLT Sec. 10.3.1, footnote 30, eq. (10.67)",
        r"\delta\Theta_{[1]}^{(\ell+1)}=\chi_{\perp}^{(\ell)}\delta\Theta_{[1]}^{(\ell)}+\Bigl(\frac{\lambda_W^{(\ell"
        r"+1)}}{C_W}\chi_{\parallel}^{(\ell)}+\frac{C_W}{K_{00}^{(\ell)}}\langle z\sigma'\sigma'' \rangle_{K_{00}^{("
        r"\ell)}}\Theta_{00}^{(\ell)}\Bigr)\delta K_{[1]}^{(\ell)}",
        "the parallel component of the NTK",
    ),
    Claim(
        "PDLT.10.70", "PDLT Sec. 10.3.1, eqs. (10.68)-(10.70)",
        r"\delta \delta \Theta_{[2]}^{(\ell+1)}=\chi_{\perp}^{(\ell)}\delta \delta \Theta_{[2]}^{(\ell)}+\Bigl(\frac{"
        r"\lambda_W^{(\ell+1)}}{C_W}\chi_{\perp}^{(\ell)}+C_W \langle \sigma'' \sigma'' \rangle_{K_{00}^{(\ell)}}"
        r"\Theta_{00}^{(\ell)}\Bigr)\delta \delta K_{[2]}^{(\ell)}",
        "the perpendicular component of the NTK",
    ),
    Claim(
        "PDLT.10.71", "PDLT Sec. 10.3.1, eqs. (10.71)-(10.72)",
        r"K_{00}^{(\ell)}=\Bigl[\frac{1}{(-a_1)}\Bigr]\frac{1}{\ell}+\dots,\quad \delta \delta K_{[2]}^{(\ell)}=\frac"
        r"{\delta^2}{\ell^{p_{\perp}}}+\dots,\quad \chi_{\perp}^{(\ell)}=1-\frac{p_{\perp}}{\ell}+\dots,\quad p_\perp"
        r"=b_1/a_1",
        "the kernel in the class K* = 0 at criticality", vanishing.universality,
    ),
    Claim(
        "PDLT.10.75", "PDLT Sec. 10.3.1, eqs. (10.74)-(10.75)",
        r"\Theta_{00}^{(\ell)}=\Bigl[\tilde{\lambda}_b+\frac{\tilde{\lambda}_W \sigma_1^2}{(-a_1)}\Bigr]\Bigl(\frac{L"
        r"}{\ell}\Bigr)^{p_{\perp}-1}+\dots",
        "the midpoint NTK for the learning rates of the equivalence principle", vanishing.midpoint,
    ),
    Claim(
        "PDLT.10.77", "PDLT Sec. 10.3.1, eqs. (10.76)-(10.77)",
        r"\delta\delta\Theta_{[2]}^{(\ell)}=\delta^2 \frac{L^{p_{\perp}-1}}{(2-p_{\perp})}\Bigl\{\tilde{\lambda}_W "
        r"\sigma_1^2+\frac{\sigma_2^2}{\sigma_1^2}\Bigl[\tilde{\lambda}_b+\frac{\tilde{\lambda}_W \sigma_1^2}{(-a_1)}"
        r"\Bigr]\Bigr\}\Bigl(\frac{1}{\ell}\Bigr)^{2p_{\perp}-2}+\dots",
        "the perpendicular component for the learning rates of the equivalence principle", vanishing.second_component,
    ),
    Claim(
        "PDLT.10.78", "PDLT Sec. 10.3.1, eq. (10.78)",
        r"\frac{-2\delta\delta\Theta_{[2]}^{(L)}}{\Theta_{00}^{(L)}}=\frac{2\delta^2}{(p_{\perp}-2)}\Bigl\{\frac{"
        r"\tilde{\lambda}_W \sigma_1^2}{\bigl[\tilde{\lambda}_b+(\tilde{\lambda}_W \sigma_1^2)/(-a_1)\bigr]}+\frac{"
        r"\sigma_2^2}{\sigma_1^2}\Bigr\}L^{1-p_{\perp}}\propto L^{1-p_{\perp}}",
        "robustness for the learning rates of the equivalence principle", vanishing.robustness_scheduled,
    ),
    Claim(
        "PDLT.fn33", "PDLT Sec. 10.3.1, footnote 33",
        r"p_\perp=b_1/a_1,\quad b_1\ge a_1,\quad a_1<0,\quad \text{these overall imply that }p_\perp\le1\text{ for an"
        r"y }K^*=0\text{ activation function. In particular, for a non-odd activation function with }\sigma_2\ne0"
        r"\text{, the exponent for perpendicular perturbations is strictly less than one, }p_\perp<1",
        "the exponent of perpendicular perturbations is at most 1", vanishing.exponent_bound,
    ),
    Claim(
        "PDLT.10.79", "PDLT Sec. 10.3.1, eq. (10.79)",
        r"\Theta_{00}^{(\ell)}=\Bigl(\frac{\lambda_b}{2}\Bigr)\ell+\dots",
        "the midpoint NTK for odd activations and layer-independent learning rates", constant.midpoint_constant,
    ),
    Claim(
        "PDLT.10.80", "PDLT Sec. 10.3.1, eq. (10.80)",
        r"\delta\delta\Theta_{[2]}^{(\ell)}=\lambda_W \sigma_1^2 \delta^2+\dots",
        "the perpendicular component for odd activations and layer-independent learning rates",
        constant.second_constant,
    ),
    Claim(
        "PDLT.10.81", "PDLT Sec. 10.3.1, eq. (10.81)",
        r"\frac{-2\delta\delta\Theta_{[2]}^{(L)}}{\Theta_{00}^{(L)}}=\Bigl[\frac{-4\lambda_W \sigma_1^2 \delta^2}{"
        r"\lambda_b}\Bigr]\frac{1}{L}+\dots",
        "robustness for odd activations and layer-independent learning rates", constant.robustness_constant,
    ),
    Claim(
        "PDLT.10.81-remark", "PDLT Sec. 10.3.1, remark after eq. (10.81)",
        r"\text{The consideration of more general activation functions with }p_\perp\ne1\text{ doesn't change this co"
        r"nclusion}",
        "robustness for layer-independent learning rates and activations that are not odd", constant.robustness_not_odd,
    ),
    Claim(
        "PDLT.10.85", "PDLT Sec. 10.3.1, eqs. (10.83)-(10.86)",
        r"\langle \sigma_+\sigma_-\rangle_{K^{(\ell)}}=A_2 K_d^{(\ell)}\bigl\{\cos(\psi^{(\ell)})+\rho \bigl[\sin("
        r"\psi^{(\ell)})-\psi^{(\ell)}\cos(\psi^{(\ell)})\bigr]\bigr\},\quad C_W \langle \sigma'_+\sigma'_-\rangle_{K"
        r"^{(\ell)}}=\chi(1-\rho \psi^{(\ell)})",
        "Gaussian means of scale-invariant activations",
    ),
    Claim(
        "PDLT.10.90", "PDLT Sec. 10.3.1, eq. (10.90)",
        r"K_d^{(\ell)}=K_d^*,\quad \psi^{(\ell)}=\Bigl(\frac{3}{\rho}\Bigr)\frac{1}{\ell}+\dots",
        "the angle of the kernel at criticality", invariant.angle,
    ),
    Claim(
        "PDLT.10.91", "PDLT Sec. 10.3.1, eqs. (10.88), (10.91)",
        r"\Theta_d^{(\ell)}=\bigl(\tilde{\lambda}_b+\tilde{\lambda}_W A_2 K_d^*\bigr)\frac{\ell}{L}",
        "the diagonal NTK for the learning rates of the equivalence principle", invariant.diagonal,
    ),
    Claim(
        "PDLT.10.92", "PDLT Sec. 10.3.1, eqs. (10.89), (10.92)-(10.93)",
        r"\cos(\zeta^{(\ell+1)})=\Bigl(1-\frac{4}{\ell}+\dots\Bigr)\cos(\zeta^{(\ell)})+\Bigl(\frac{1}{\ell}+\dots"
        r"\Bigr),\quad \cos(\zeta^{(\ell)})=\frac{1}{4}+\dots",
        "the angle of the NTK at criticality", invariant.zeta,
    ),
    Claim(
        "PDLT.10.94", "PDLT Sec. 10.3.1, eqs. (10.94)-(10.95)",
        r"\frac{\Theta_{-+}^{(L)}}{\Theta_{++}^{(L)}}-1=\cos(\zeta^{(L)})-1=-\frac{3}{4}+\dots,\quad \mathrm{Cov}[z_{"
        r"i;-}^{(L)}(T),z_{i;-}^{(L)}(T)]=K_{--}-2\frac{\Theta_{-+}}{\Theta_{++}}K_{-+}+\Bigl(\frac{\Theta_{-+}}{"
        r"\Theta_{++}}\Bigr)^2 K_{++}=K_d^* \bigl[1-\cos(\zeta^{(L)})\bigr]^2=\frac{9}{16}K_d^*+\dots",
        "robustness and prediction variance of nonlinear scale-invariant activations", invariant.robustness,
    ),
    Claim(
        "PDLT.fn37", "PDLT Sec. 10.3.1, footnote 37",
        r"\text{exact Bayesian inference where the only nonzero learning rates are in the last layer in order to set "
        r"}\Theta^{(L)}=K^{(L)}\text{. In that case, the robustness measure is given by }\cos(\psi^{(L)})-1=O(1/\ell^"
        r"2)",
        "robustness of Bayesian inference with scale-invariant activations", invariant.bayesian,
    ),
    Claim(
        "PDLT.10.97", "PDLT Sec. 10.3.1, eqs. (10.96)-(10.98)",
        r"\Theta_d^{(\ell)}\cos(\zeta^{(\ell)})=\bigl[\tilde{\lambda}_b+\tilde{\lambda}_W A_2 K_d^* \cos(\psi^*)\bigr"
        r"]\frac{(\ell-1)}{L}+\Theta_d^{(1)}\cos(\zeta^{(1)}),\quad \cos(\zeta^{(\ell)})=\frac{\tilde{\lambda}_b+"
        r"\tilde{\lambda}_W A_2 K_d^* \cos(\psi^*)}{\tilde{\lambda}_b+\tilde{\lambda}_W A_2 K_d^*}+\dots,\quad \text{"
        r"which polynomially asymptotes to a constant}",
        "the angle of the NTK of deep linear networks", invariant.linear,
    ),
)
