r"""Claims of Hayou, Doucet and Rousseau, "Mean-field Behaviour of Neural Tangent Kernel for Deep Neural Networks"
(19 February 2020): Theorem 1, part 1, with the lemmas and the expansions that the proof of Theorem 1 uses.
"""

from asympt.claims.claim import Claim, ClaimInSetting
from asympt.claims.hdr.relu import lemma5, lemma6, maps, rates
from asympt.claims.scopes import BOTH, RELU, RELU_LIKE, THEOREM_1

NTK_OF_RELU, FLOW_OF_RELU = RELU_LIKE.of("ntk"), RELU_LIKE.of(*BOTH)

CLAIMS = (
    ClaimInSetting(
        "HDR.B1.reluvar", "HDR App. B.1, bullet 5",
        r"\text{For ReLU network on the EOC, we have that }\Sigma^l(x,x)=\frac{\sigma_w^2}d\|x\|^2\text{ for all }l"
        r"\ge1",
        "on the Edge of Chaos a ReLU network keeps the variance of its preactivations", maps.variance, RELU,
    ),
    ClaimInSetting(
        "HDR.B1.relu-exp", "HDR App. B.1, bullet 5",
        r"f(x)=x+\frac{2\sqrt2}{3\pi}(1-x)^{3/2}+O((1-x)^{5/2})",
        "the ReLU correlation map near 1", maps.two_terms, RELU,
    ),
    ClaimInSetting(
        "HDR.B1.relu-series", "HDR App. B.1, bullet 5",
        r"f(x)\underset{x\to1-}{=}x+\frac{2\sqrt2}{3\pi}(1-x)^{3/2}+\sum_{k=2}\alpha_k(1-x)^{k+1/2},\quad \text{where"
        r" }\alpha_k>0",
        "every coefficient of the ReLU correlation map at 1 is positive", maps.all_positive, RELU,
    ),
    ClaimInSetting(
        "HDR.AL7.f", "HDR App. B.3, proof of Appendix Lemma 7",
        r"f(x)=\frac1\pi x\arcsin(x)+\frac1\pi\sqrt{1-x^2}+\frac12x",
        "the closed form of the ReLU correlation map", maps.closed_form, RELU,
    ),
    ClaimInSetting(
        "HDR.T1.fprime", "HDR App. B.2, proof of Theorem 1, part 1",
        r"f'(x)=\frac1\pi\arcsin(x)+\frac12=1-\frac{\sqrt2}\pi(1-x)^{1/2}+O((1-x)^{3/2})",
        "the slope of the ReLU correlation map near 1", maps.slope, RELU,
    ),
    Claim(
        "HDR.AL5", "HDR App. B.2, Appendix Lemma 5",
        r"a_l=a_{l-1}\lambda_l+b_l,\quad \lambda_l=1-\frac\alpha l+\Theta(l^{-2}),\quad b_l=q+o(l^{-1}),\quad \text{w"
        r"here }\alpha\in\mathbb N^*,q\in\mathbb R^+,\quad \text{Then, we have }\frac{a_l}l=\frac q{1+\alpha}+\Theta("
        r"l^{-1})",
        "a linear recursion with multiplier 1 - alpha/l reaches q/(1+alpha) at the exact rate 1/l", lemma5.lemma,
    ),
    Claim(
        "HDR.AL5.prod", "HDR App. B.2, proof of Appendix Lemma 5",
        r"\prod_{k=1}^l(1-\frac{1+\alpha}k)\sim l^{-1-\alpha}",
        "the product in the lemma's proof decays like l^(-1-alpha)", lemma5.product,
    ),
    Claim(
        "HDR.AL5.sum", "HDR App. B.2, proof of Appendix Lemma 5",
        r"\sum_{k=1}^l\prod_{j=k+1}^l(1-\frac{1+\alpha}j)\frac1{k^2}=\frac{(l-\alpha-1)!}{l!}\sum_{k=1}^l\frac{k!}{(k"
        r"-\alpha-1)!}\frac1{k^2}\sim\frac1\alpha l^{-1}",
        "the sum in the lemma's proof decays like 1/(alpha l)", lemma5.sum_of_products,
    ),
    Claim(
        "HDR.AL6", "HDR App. B.2, Appendix Lemma 6",
        r"a_l=a_{l-1}\lambda_l+b_l,\quad \lambda_l=1-\frac\alpha l+\kappa\frac{\log(l)}{l^2}+O(l^{-1-\beta}),\quad b_"
        r"l=q+O(l^{-1}),\quad \text{where }\alpha\in\mathbb N^*,\beta,q\in\mathbb R^+\text{ and }\alpha>\beta-1,\beta"
        r"\ge1,\quad \text{Then, there exists }A,B>0\text{ such that }A\frac{\log(l)}l\le\frac{a_l}l-\frac q{1+\alpha"
        r"}\le B\frac{\log(l)}l",
        "with a log in the multiplier the limit q/(1+alpha) is reached from above at the exact rate log(l)/l",
        lemma6.lemma,
    ),
    Claim(
        "HDR.AL6.sum", "HDR App. B.2, proof of Appendix Lemma 6",
        r"\sum_{k=1}^l\frac{k!}{(k-\alpha-1)!}\frac{\kappa_1\log(k)-M}{k^2}\sim\sum_{k=1}^l\log(k)k^{\alpha-1}\sim"
        r"\int_1^l\log(t)t^{\alpha-1}dt\sim C_1l^\alpha\log(l),\quad \text{where }C_1>0\text{ is a constant},\quad "
        r"\text{We conclude using the fact that }\frac{(l-\alpha-1)!}{l!}\sim l^{-1-\alpha}",
        "the sum in the lemma's proof decays like log(l)/l", lemma6.sum_of_products,
    ),
    ClaimInSetting(
        "HDR.T1.1-diag", "HDR Theorem 1, item 1",
        r"\text{If }\phi\text{ is ReLU-like, then for all }x\in\mathbb R^d,AK^L(x,x)=AK^\infty(x,x)+\Theta(L^{-1})",
        "the diagonal of the average NTK reaches its limit at the exact rate 1/L", rates.diagonal, NTK_OF_RELU,
    ),
    ClaimInSetting(
        "HDR.T1.1-limit", "HDR Theorem 1, item 1; App. B.2",
        r"\text{there exist }\lambda\in(0,1)\text{ such that }\sup_{x\ne x'\in\mathbb R^d}\bigl|AK^L(x,x')-AK^\infty("
        r"x,x')\bigr|=\Theta(L^{-1})\text{ where }AK^\infty(x,x')=\frac{\sigma_w^2\|x\|\|x'\|}d(1-(1-\lambda)\mathbb "
        r"1_{x\ne x'}),\quad \frac{K^l(x,x')}l=\frac14\frac{\sigma_w^2}d\|x\|\|x'\|+O(l^{-1})",
        "off the diagonal the average NTK tends to a quarter of its diagonal", rates.limit, NTK_OF_RELU,
    ),
    ClaimInSetting(
        "HDR.T1.1-rate", "HDR Theorem 1, item 1",
        r"\sup_{x\ne x'\in\mathbb R^d}\bigl|AK^L(x,x')-AK^\infty(x,x')\bigr|=\Theta(L^{-1})",
        "off the diagonal the average NTK reaches its limit at the exact rate 1/L", rates.rate, NTK_OF_RELU,
    ),
    ClaimInSetting(
        "HDR.T1.sup", "HDR Theorem 1, item 1",
        r"\sup_{x\ne x'\in\mathbb R^d}\bigl|AK^L(x,x')-AK^\infty(x,x')\bigr|=\Theta(L^{-1})",
        "the rate 1/L holds uniformly over all pairs of inputs", rates.uniform, THEOREM_1.of("ntk"),
    ),
    ClaimInSetting(
        "HDR.T1.1-inv", "HDR App. B.2, proof of Theorem 1, part 1",
        r"\gamma_{l+1}^{-1/2}=\gamma_l^{-1/2}+\frac s2+\frac\kappa2\gamma_l+O(\gamma_l^2)",
        "one layer adds s/2 + O(gamma) to gamma^(-1/2)", maps.inverse_root, FLOW_OF_RELU,
    ),
    ClaimInSetting(
        "HDR.T1.1-c", "HDR App. B.2, proof of Theorem 1, part 1",
        r"c_{x,x'}^l=1-\frac{9\pi^2}{2l^2}+\Theta(l^{-3})",
        "the correlation reaches 1 with an error of exact order l^(-3) after its leading term", rates.correlation,
        RELU.of(*BOTH),
    ),
    ClaimInSetting(
        "HDR.T1.1-fp", "HDR App. B.2, proof of Theorem 1, part 1",
        r"f'(c_{x,x'}^l)=1-\frac3l+\Theta(l^{-2})",
        "the slope along the orbit is 1 - 3/l with an error of exact order l^(-2)", rates.slope_along, FLOW_OF_RELU,
    ),
    ClaimInSetting(
        "HDR.T1.gain", "HDR Sec. 4.1 after Theorem 1",
        r"\text{the convergence rate of the ANTK to }AK^\infty\text{ is slow in }L\ (\mathcal O(L^{-1}))\text{ for Re"
        r"LU-like activation functions and }\mathcal O(\log(L)L^{-1})\text{ for activation functions of type }"
        r"\mathcal S",
        "smooth activations converge slower than ReLU-like ones by a factor log L", rates.gain,
    ),
    ClaimInSetting(
        "HDR.T1.inv", "HDR Sec. 4.1 after Theorem 1",
        r"\text{on the EOC there exists a matrix }J\text{ invertible such that }K^L(\mathcal X,\mathcal X)=L\times J("
        r"1+o(1))\text{ as }L\to\infty",
        "the average NTK of pairwise non-parallel inputs has an invertible limit", rates.invertible,
    ),
)
