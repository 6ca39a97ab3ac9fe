r"""Claims of Hayou, Doucet and Rousseau (19 February 2020) on class S: Definition 1 and Theorem 1, part 2."""

from asympt.claims.claim import Claim, ClaimInSetting
from asympt.claims.hdr.off_edge import general_map
from asympt.claims.hdr.smooth import correlation_map, orbit, rates, theorem
from asympt.claims.scopes import BOTH, CLASS_S, KINKED, SMOOTH

PROOF = "HDR App. B.2, proof of Theorem 1, part 2"

CLAIMS = (
    Claim(
        "HDR.D1.classS", "HDR Definition 1 and the line after it",
        r"\phi\text{ is said to be in }S\text{ if }\phi(0)=0,\ \phi\text{ is twice differentiable, and there exist }n"
        r"\ge1\text{, a partition }(A_i)_{1\le i\le n}\text{ of }\mathbb R\text{ and infinitely differentiable functi"
        r"ons }g_1,g_2,...,g_n\text{ such that }\phi^{(2)}=\sum_{i=1}^n1_{A_i}g_i,\quad \text{the S class includes, a"
        r"mong others, Tanh, ELU and SiLU (Swish)}",
        "tanh, ELU and SiLU are twice differentiable, as class S asks", general_map.class_s,
    ),
    ClaimInSetting(
        "HDR.T1.2-diag", "HDR Theorem 1, item 2",
        r"\text{there exists }q>0\text{ such that }AK^L(x,x)=AK^\infty(x,x)+\Theta(L^{-1})\to q",
        "class S: the diagonal of the average NTK reaches q at the exact rate 1/L", theorem.diagonal, CLASS_S.of("ntk"),
    ),
    ClaimInSetting(
        "HDR.T1.2-limit", "HDR Theorem 1, item 2; App. B.2",
        r"\text{there exist }\lambda\in(0,1)\text{ such that }\sup_{x\ne x'\in\mathbb R^d}\bigl|AK^L(x,x')-AK^\infty("
        r"x,x')\bigr|=\Theta(\log(L)L^{-1})\text{ where }AK^\infty(x,x')=q(1-(1-\lambda)\mathbb 1_{x\ne x'}),\quad f'"
        r"(c_{x,x'}^l)=1-\frac2l+\kappa\frac{\log(l)}{l^2}+O(l^{-2})\text{. We can now conclude using appendix lemma "
        r"6}",
        "class S: off the diagonal the average NTK tends to a third of its diagonal", rates.limit, CLASS_S.of("ntk"),
    ),
    ClaimInSetting(
        "HDR.T1.2-rate", "HDR Theorem 1, item 2",
        r"\text{If }\phi\text{ is in }S,\quad \sup_{x\ne x'\in\mathbb R^d}\bigl|AK^L(x,x')-AK^\infty(x,x')\bigr|="
        r"\Theta(\log(L)L^{-1})",
        "every activation of class S converges at the exact rate log(L)/L", theorem.theorem, CLASS_S,
    ),
    ClaimInSetting(
        "HDR.T1.2-rate-smooth", "HDR Theorem 1, item 2 (Tanh, SiLU)",
        r"\text{If }\phi\text{ is in }S,\quad \sup_{x\ne x'\in\mathbb R^d}\bigl|AK^L(x,x')-AK^\infty(x,x')\bigr|="
        r"\Theta(\log(L)L^{-1})",
        "tanh, SiLU and GELU at sigma_b = 0.2 converge at the exact rate log(L)/L", rates.smooth_rate, SMOOTH.of("ntk"),
    ),
    ClaimInSetting(
        "HDR.T1.2-rate-elu", "HDR Theorem 1, item 2 (ELU)",
        r"\text{If }\phi\text{ is in }S,\quad \sup_{x\ne x'\in\mathbb R^d}\bigl|AK^L(x,x')-AK^\infty(x,x')\bigr|="
        r"\Theta(\log(L)L^{-1})",
        "ELU converges at the exact rate log(L)/L", rates.kinked_rate, KINKED.of("ntk"),
    ),
    ClaimInSetting(
        "HDR.T1.2-fk", PROOF,
        r"\text{for all }k\ge3\ f^{(k)}(x)=\frac1{(1-x^2)^{(k-2)/2}}g_k(x)\text{ where }g_k\in\mathcal C^\infty",
        "where phi'' jumps the k-th derivative of f has a singularity of order (k-2)/2 at 1",
        correlation_map.derivatives_blow_up, KINKED.of(*BOTH),
    ),
    ClaimInSetting(
        "HDR.T1.2-taylor", PROOF,
        r"f(1-t^2)=1-t^2f'(1)+\frac{t^4}2f''(1)+\frac{t^6}6f^{(3)}(1)+O(t^8)",
        "class S: the correlation map has no odd powers of t = sqrt(1-x)", correlation_map.taylor, CLASS_S.of(*BOTH),
    ),
    ClaimInSetting(
        "HDR.T1.2-sign", PROOF,
        r"\text{there exist }\alpha,\beta>0\text{ such that }\lambda_{l+1}=\lambda_l-\alpha\lambda_l^2-\beta\lambda_l"
        r"^3+O(\lambda_l^4)",
        "class S: both coefficients of the gap map are positive", correlation_map.signs, CLASS_S.of(*BOTH),
    ),
    ClaimInSetting(
        "HDR.T1.2-inv", PROOF,
        r"\lambda_{l+1}^{-1}=\lambda_l^{-1}(1-\alpha\lambda_l-\beta\lambda^2+O(\lambda_l^3))^{-1}=\lambda_l^{-1}(1+"
        r"\alpha\lambda_l+\beta\lambda_l^2+O(\lambda_l^3))=\lambda_l^{-1}+\alpha+\beta\lambda_l+O(\lambda_l^2)",
        "one layer adds alpha + beta lambda to 1/lambda", correlation_map.inverse, SMOOTH.of(*BOTH),
    ),
    ClaimInSetting(
        "HDR.T1.2-lambda", PROOF,
        r"\lambda_l^{-1}=\alpha l+\beta\alpha^{-1}\log(l)+O(1)",
        "1/lambda grows like alpha l + (beta/alpha) log l", orbit.inverse_along, SMOOTH.of(*BOTH),
    ),
    ClaimInSetting(
        "HDR.T1.2-fp", PROOF,
        r"f'(c_{x,x'}^l)=1-\frac2l+\kappa\frac{\log(l)}{l^2}+O(l^{-2})",
        "class S: the slope along the orbit is 1 - 2/l + kappa log(l)/l^2", orbit.slope_along, CLASS_S.of(*BOTH),
    ),
)
