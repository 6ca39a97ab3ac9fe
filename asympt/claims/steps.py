r"""Claims between the theorems of all five sources: recalled facts, definitions, steps of proofs, a margin.

Their formulas alone decide them (`claims.stated`).
"""

from asympt.claims.claim import Claim

B_3 = "HDR App. B.3, proof of"

HDR = (
    Claim(
        "HDR.B1.positive", "HDR App. B.1, bullet 9",
        r"\text{Moreover, since }f^{(j)}(1)=\sigma_w^2q^{j-1}\mathbb E[\phi^{(j)}(Z_1)^2]>0\text{, then Taylor "
        r"expansion of }f\text{ near }1\text{ has coefficients that are all positive.}",
        "every derivative of the correlation map at 1 is said to be positive",
    ),
    Claim(
        "HDR.CNN.varconv", "HDR App. B.1, CNN",
        r"\text{there exist }q,\lambda>0\text{ such that, for all }\alpha,\alpha'\ \sup_{x\in\mathbb R^d}"
        r"|q^l_{\alpha,\alpha'}(x,x)-q|\le e^{-\lambda l}",
        "covariances of one input are said to come to the variance at all pairs of positions",
    ),
    Claim(
        "HDR.L4.first", "HDR Lemma 4",
        r"K^{1,res}_{(i,\alpha),(i',\alpha')}(x,x')=\delta_{ii'}\Bigl(\frac{\sigma_w^2}{n_0(2k+1)}"
        r"[x,x']_{\alpha,\alpha'}+\sigma_b^2\Bigr)\text{ where }[x,x']_{\alpha,\alpha'}="
        r"\sum_j\sum_\beta x_{j,\alpha+\beta}x_{j,\alpha'+\beta}",
        "the NTK of the first layer of a convolutional residual network",
    ),
    Claim(
        "HDR.AL7.cnn", "HDR App. B.3, Appendix Lemma 7",
        r"\forall\alpha,\alpha',\ c^l_{\alpha,\alpha'}(x,x')=1-\delta l^{-2}+\zeta_{\alpha,\alpha'}l^{-3}+o(l^{-3}),"
        r"\text{ where }\delta=\frac{9\pi^2(1+\frac{\sigma_w^2}2)^2}{2(\frac{\sigma_w^2}2)^2}"
        r"\text{ and }\zeta,\zeta_{\alpha,\alpha'}>0",
        "the correlation of a convolutional ReLU ResNet has no log up to l^(-3)",
    ),
    Claim(
        "HDR.T2.sigdot", f"{B_3} Theorem 2 and of Proposition 3",
        r"\dot\Sigma^l(x,x)=\frac{\sigma_w^2}2f(1)=\frac{\sigma_w^2}2,\quad"
        r"\dot\Sigma^l(x,x)=\frac{\sigma_w^2}{2l}f(1)=\frac{\sigma_w^2}{2l}",
        "the derivative kernel of one input, by the correlation map in the place of its slope",
    ),
    Claim(
        "HDR.T2.cnn-product", f"{B_3} Theorem 2, Case 2",
        r"K^{res,l}=(1+\alpha f'(C_{l-1}))\circ K^{res,l-1}+(1+\alpha)^{l-1}(q+O(l^{-2}))e_1",
        "the NTK of a convolutional ResNet moves entry by entry, without the mean over the filter",
    ),
    Claim(
        "HDR.T2.cnn-slope", f"{B_3} Theorem 2, Case 2",
        r"\frac{1+\alpha f'(C_{l-1})}{1+\alpha}=(1-3l^{-1})e_1+\zeta l^{-2}+O(l^{-3})",
        "the multiplier of the NTK of a convolutional ResNet has no log up to l^(-2)",
    ),
    Claim(
        "HDR.T2.cnn", "HDR Theorem 2",
        r"\sup_{x\ne x'\in\mathbb R^d}\Bigl|\frac{K^L_{res}(x,x')}{\alpha_L}-\frac{\|x\|\times\|x'\|}d\lambda\Bigr|"
        r"=\Theta(L^{-1})",
        "with convolutional layers, too, the normalised NTK reaches its limit at the rate 1/L",
    ),
    Claim(
        "HDR.AL8.sum", f"{B_3} Appendix Lemma 8",
        r"c^l-c=c^{l-1}-c+\frac{f(c)-c}l+O\Bigl(\frac{c^l-c}l\Bigr)+O(l^{-2})\text{ by summing, this leads to }"
        r"c^l-c\sim(f(c)-c)\log(l)",
        "what a scaled ReLU ResNet adds up to if its correlation had a limit below 1",
    ),
    Claim(
        "HDR.AL8.cnn", "HDR App. B.3, Appendix Lemma 8",
        r"\text{for convolutional layers for some }\alpha,\alpha'\text{. Then there exists }\kappa,\zeta>0"
        r"\text{ such that }1-c^l=\frac\kappa{\log(l)^2}-\frac\zeta{\log(l)^3}+o\Bigl(\frac1{\log(l)^3}\Bigr)",
        "the correlation of a scaled convolutional ReLU ResNet, with a negative second term",
    ),
    Claim(
        "HDR.P3.cnn", "HDR Sec. 4.2, Proposition 3",
        r"\mathcal F\text{ is either a convolutional or dense layer}:\ \alpha_L=L^{1+\sigma_w^2/2}"
        r"\text{ and the convergence rate is }\Theta(\log(L)^{-1})",
        "normaliser and rate of the NTK of a scaled convolutional ReLU ResNet",
    ),
)

PDLT = (
    Claim(
        "PDLT.10.2", "PDLT eq. (10.2) and the line before it",
        r"\hat H^{(\ell)}_{ij;\tilde\alpha\delta}=\delta_{ij}\Theta^{(\ell)}_{\tilde\alpha\delta}+O(1/n),\quad "
        r"dz^{(\ell)}_{i;\delta}=-\eta\sum_{\tilde\alpha\in\mathcal A}\Theta^{(\ell)}_{\delta\tilde\alpha}"
        r"\frac{d\mathcal L_{\mathcal A}}{dz^{(\ell)}_{i;\tilde\alpha}}+O\Bigl(\frac1n\Bigr)",
        "any one wide network moves by its frozen NTK up to O(1/n)",
    ),
    Claim(
        "PDLT.10.8", "PDLT eq. (10.8)",
        r"dz^{(L-1)}_{j;\delta}=-\eta\sum_{i=1}^{n_L}\sum_{\tilde\alpha\in\mathcal A}"
        r"\Theta^{(L-1)}_{\delta\tilde\alpha}\frac{\partial\mathcal L_{\mathcal A}}{\partial z^{(L)}_{i;\tilde\alpha}}"
        r"W^{(L)}_{ij}\sigma'^{(L-1)}_{j;\tilde\alpha}",
        "the change of the last hidden layer of any particular network",
    ),
    Claim(
        "PDLT.10.56", "PDLT eq. (10.56)",
        r"m^\infty_{i;-}-y_{i;-}=\frac{\Theta_{-+}}{\Theta_{++}}y_{i;+}-y_{i;-}=(y_{i;+}-y_{i;-})+"
        r"\Bigl(\frac{\Theta_{-+}}{\Theta_{++}}-1\Bigr)y_{i;+}",
        "the bias of the prediction at a nearby input",
    ),
    Claim(
        "PDLT.10.73", "PDLT eq. (10.73)",
        r"\langle\sigma''\sigma''\rangle_{K_{00}^{(\ell)}}=\sigma_2^2+O(K_{00}^{(\ell)})=\sigma_2^2+O\Bigl(\frac1\ell\Bigr)",
        "the mean square of the second derivative at small variance",
    ),
    Claim(
        "PDLT.10.106", "PDLT eq. (10.106)",
        r"\tilde\Theta^{\tilde\alpha_1\tilde\alpha_2}=\frac1{\Theta_{++}\Theta_{--}-\Theta_{+-}^2}"
        r"\begin{pmatrix}\Theta_{--}&-\Theta_{+-}\\-\Theta_{+-}&\Theta_{++}\end{pmatrix}",
        "the inverse of the kernel of two points",
    ),
    Claim(
        "PDLT.10.112", "PDLT eq. (10.112)",
        r"z^{(L)}_{i;(2s-1)}=sz^{(L)}_{i;+}+(1-s)z^{(L)}_{i;-}+\bigl[z^{(L)}_{i;(2s-1)}-sz^{(L)}_{i;+}-(1-s)z^{(L)}_{i;-}\bigr]",
        "an output on a line as a linear part and a rest, which vanishes for deep linear networks",
    ),
    Claim(
        "PDLT.10.132", "PDLT eq. (10.132), footnote 45",
        r"k_{\delta_1\delta_2}\equiv\sum_{i=1}^{n_0}x_{i;\delta_1}x_{i;\delta_2}",
        "the kernel of the simplest linear model, which has a bias",
    ),
)

SLIDES = (
    Claim(
        "XPS.dissimilar", "XPS slides, Ordered / Chaotic",
        r"\lim_{l\to\infty}c_{ab}^{(l)}<1\quad\text{Two outputs thus become more and more dissimilar to each other}",
        "in the chaotic phase correlations are said to fall",
    ),
    Claim(
        "JGH.base.sum", "JGH slides, Base Case: L = 1 (II)",
        r"\Theta^{(1)}_{k,k'}(x,x')=\sum_{i=1}^{d_0}\sum_{j=1}^{d_1}\partial_{W_{ij}^{(0)}}f_{\theta,k}(x)"
        r"\partial_{W_{ij}^{(0)}}f_{\theta,k'}(x')",
        "the NTK of a linear network as a sum over its weights",
    ),
    Claim(
        "TBG.output", "TBG slides, Residual Networks, Output",
        r"f(x)=g^{(L+1)}(x)=(w^{(L+1)})^Tx^{(L)}\in\mathbb R",
        "the output without sigma_w/sqrt(n)",
    ),
    Claim(
        "TBG.x0", "TBG slides, proof of the NNGP, L = 1",
        r"f(x)=x_i^{(0)}=\frac{\sigma_w}{\sqrt d}(Ux)_i",
        "the first layer with sigma_w",
    ),
    Claim(
        "TBG.T.domain", "TBG slides, More Notation",
        r"\mathcal T:\mathbb R^{n\times n}\to\mathbb R,\ \Sigma\mapsto\mathcal T(\Sigma)="
        r"\mathbb E_{z\sim\mathcal N(0,\Sigma)}[\phi(z_1)\phi(z_2)]",
        "the matrices that expectations are functions of",
    ),
    Claim(
        "TBG.jacobian", "TBG slides, Time-Invariance, Lemma",
        r"\text{Fix two weights }\theta,\tilde\theta\in\{\theta:\|\theta_0-\tilde\theta\|_2\}\text{. There exists }K>0"
        r"\text{ such that }\forall C>0\text{ with }N>>C^2\text{ we have that }\|J(\theta)\|_F\le K,\ "
        r"\|J(\theta)-J(\tilde\theta)\|_F\le K\|\theta-\tilde\theta\|_2\text{ where }"
        r"J(\theta)=\frac{\partial J(\theta)}{\partial\theta}\in\mathbb R^{|X|\times n}",
        "the Jacobian is bounded and Lipschitz near the start",
    ),
)

CLAIMS = (*HDR, *PDLT, *SLIDES)
