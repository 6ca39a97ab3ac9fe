r"""Claims of Hayou, Doucet and Rousseau (2020) about training: Section 3, Appendix A (Lemma 1, Appendix Lemma 1), C."""

from asympt.claims.claim import Claim
from asympt.claims.hdr.training import descent, flow, sgd, sgd_points

CLAIMS = (
    Claim(
        "HDR.eq3", "HDR Sec. 3.1, eq. (3)",
        r"df_t(x)=-\frac1N\nabla_\theta f(x,\theta_t)\nabla_\theta f(\mathcal X,\theta_t)^T\nabla_z\ell(f_t(\mathcal "
        r"X),\mathcal Y)dt",
        "gradient flow of the parameters as a flow of the outputs", flow.chain_rule,
    ),
    Claim(
        "HDR.eq8", "HDR Sec. 3.1, eq. (8)",
        r"f_t(\mathcal X)=e^{-\frac1N\hat K^Lt}f_0(\mathcal X)+(I-e^{-\frac1N\hat K^Lt})\mathcal Y",
        "the outputs on the training set under a constant kernel", flow.training_flow,
    ),
    Claim(
        "HDR.eq9", "HDR Sec. 3.1, eq. (9)",
        r"f_t(x)=f_0(x)+\gamma(x,\mathcal X)(I-e^{-\frac1N\hat K^Lt})(\mathcal Y-f_0(\mathcal X)),\quad \text{where }"
        r"\gamma(x)=K^L(x,\mathcal X)K^L(\mathcal X,\mathcal X)^{-1}",
        "the output at a test point under a constant kernel", flow.flow_at_test_point,
    ),
    Claim(
        "HDR.L1.iff", "HDR Lemma 1",
        r"\text{Assume }f_0(\mathcal X)\ne\mathcal Y\text{. Then with dynamics (16), }\|f_t(\mathcal X)-\mathcal Y\|"
        r"\text{ converges to 0 as }t\to\infty\text{ if and only if }\hat K^L\text{ is non-singular}",
        "a network can be trained exactly when its kernel is invertible", flow.trainable_iff,
    ),
    Claim(
        "HDR.L1.lower", "HDR Lemma 1, second part",
        r"\text{Moreover, if }\hat K^L\text{ is singular, there exists a constant }C>0\text{ such that for all }t>0,"
        r"\ \|f_t(\mathcal X)-\mathcal Y\|\ge C",
        "a singular kernel leaves an error for every start", flow.lower_bound,
    ),
    Claim(
        "HDR.AL1", "HDR Appendix Lemma 1",
        r"\text{Assume }\nabla_\theta\mathcal L\text{ is C-lipschitz, then there exists }C'>0\text{ that depends only"
        r" on C and T such that }\sup_{k\in[0,T/\eta]}\|\theta_{t_k}-\hat\theta_k\|\le\eta C'",
        "the distance of gradient descent from gradient flow", descent.discretisation,
    ),
    Claim(
        "HDR.AL1.step", "HDR Appendix Lemma 1, proof",
        r"\|\hat\theta_k-\theta_0\|\le(1+\eta C)\|\hat\theta_{k-1}-\theta_0\|\le(1+\eta C)^{T/\eta}\|\hat\theta_1-"
        r"\theta_0\|\le e^{CT}\|\hat\theta_1-\theta_0\|",
        "how far gradient descent moves in k steps", descent.proof_step,
    ),
    Claim(
        "HDR.S3.const", "HDR Sec. 3.1, after Lemma 1",
        r"\text{If the NTK is constant for example (there exists a constant }\delta\text{ such that }K^L(x,x')=\delta"
        r"\text{ for all }x\ne x'\text{, this example is useful in the next section), then the second part of }f_t(x)"
        r"\text{ in equation 17 is constant w.r.t x}",
        "a constant kernel learns the same at every test point", flow.constant_kernel,
    ),
    Claim(
        "HDR.S5.sde", "HDR App. C, eqs. (30)-(31)",
        r"\hat\theta_{t+1}=\hat\theta_t-\eta\nabla_\theta\mathcal L(\hat\theta_t)+\frac\eta{\sqrt S}Z(\theta_t),"
        r"\quad d\theta_t=-\nabla_\theta\mathcal L(\theta_t)dt+\sqrt{\frac\eta S}\Sigma(\theta_t)^{\frac12}dW_t,"
        r"\quad \text{SGD updates can therefore be seen as a discretization of the previous SDE with time step }"
        r"\Delta=\eta",
        "SGD as the discretisation of a diffusion", sgd.euler_step,
    ),
    Claim(
        "HDR.S5.ito", "HDR Proposition 4, eq. (32)",
        r"df_t(\mathcal X)=\Bigl[-\frac1NK_{\theta_t}^L(\mathcal X,\mathcal X)\nabla_z\ell(f_t(\mathcal X),Y)+\frac12"
        r"\frac\eta S\Gamma_t(\mathcal X)\Bigr]dt+\sqrt{\frac\eta S}\nabla_\theta f(\mathcal X,\theta_t)\Sigma(\theta"
        r"_t)^{\frac12}dW_t",
        "the diffusion of the outputs by Ito's formula", sgd.ito,
    ),
    Claim(
        "HDR.S5.M", "HDR App. C, dynamics for wide networks",
        r"df_t(\mathcal X)=-\frac1N\hat K^L(f_t(\mathcal X)-M_t)dt+\sqrt{\frac\eta S}\nabla_\theta f(\mathcal X,"
        r"\theta_t)\Sigma(\theta_t)^{\frac12}dW_t,\quad M_t=Y-\frac{\eta N}{2S}(\hat K^L)^{-1}\Gamma_t(\mathcal X)",
        "the level to which the Ornstein-Uhlenbeck process reverts", sgd.centre,
    ),
    Claim(
        "HDR.S5.34", "HDR App. C, eq. (34)",
        r"f_t(\mathcal X)=e^{-\frac tN\hat K^L}f_0(\mathcal X)+(I-e^{-\frac tN\hat K^L})\mathcal Y+A_t(\mathcal X),"
        r"\quad \text{where }A_t(\mathcal X)=-\frac\eta{2S}\int_0^te^{-\frac{t-s}N\hat K^L}\Gamma_s(\mathcal X)ds+"
        r"\sqrt{\frac\eta S}\int_0^te^{-\frac{t-s}N\hat K^L}\nabla_\theta f(\mathcal X,\theta_s)\Sigma(\theta_s)^{"
        r"\frac12}dW_s",
        "the outputs on the training set under SGD", sgd.solution,
    ),
    Claim(
        "HDR.S5.35", "HDR App. C, eq. (35)",
        r"f_t(x)=f_0(x)+K^L(x,\mathcal X)(\hat K^L)^{-1}(I-e^{-\frac{t-s}N\hat K^L})(\mathcal Y-f_0(\mathcal X))+Z_t("
        r"x)+R_t(x),\quad R_t(x)=\sqrt{\frac\eta S}\int_0^t[K^L(x,\mathcal X)(\hat K^L)^{-1}(e^{-\frac tN\hat K^L}-I)"
        r"\nabla_\theta f(\mathcal X,\theta_s)+\nabla_\theta f(x,\theta_s)]\Sigma(\theta_s)^{\frac12}dW_s,\quad Z_t(x"
        r")=\frac\eta{2S}\Bigl[\int_0^t\Gamma_s(x)ds+\int_0^tK(x,\mathcal X)(\hat K^L)^{-1}(I-e^{-\frac{(t-s)}N\hat K"
        r"^L})\Gamma_s(\mathcal X)ds\Bigr]",
        "the output at a test point under SGD", sgd_points.solution_at_test_point,
    ),
)
