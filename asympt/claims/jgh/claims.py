r"""Claims of the slides on Jacot, Gabriel and Hongler about training under a frozen neural tangent kernel."""

from asympt.claims.claim import Claim
from asympt.claims.jgh import training

CLAIMS = (
    Claim(
        "JGH.flow", "JGH slides, Function Space Dynamics (I), (II)",
        r"\partial_tf_\theta(x)=-\Theta_t(x,X)^T\frac{\partial L(f_\theta(X),y)}{\partial f_\theta(X)},\ "
        r"\Theta_t(x,x')=\sum_p\partial_{\theta_p}f(x)\partial_{\theta_p}f(x')",
        "gradient flow in function space, for any model and loss", training.function_space,
    ),
    Claim(
        "JGH.P", "JGH slides, Notation",
        r"P=\sum_{l=1}^Ld_{l-1}d_l,\quad\theta:\mathbb R_+\to\mathbb R^{d_0}",
        "the number of parameters",
    ),
    Claim(
        "JGH.ode-sol", "JGH slides, Closed Form Solution (II)",
        r"\dot x=A(x-x^*)\Rightarrow x(t)=x^*+e^{At}(x(0)-x^*);\quad\int e^{At}dt=A^{-1}(e^{At}-1)+C",
        "the solution of a linear system", training.linear_system,
    ),
    Claim(
        "JGH.train", "JGH slides, Closed Form Solution (II)",
        r"f_t(X)=y+e^{-t\Theta(X,X)}(f_0(X)-y)",
        "the outputs on the training set", training.training_points,
    ),
    Claim(
        "JGH.test", "JGH slides, Closed Form Solution (I)",
        r"f_t(x)=\Theta(x,X)^T\Theta(X,X)^{-1}(e^{-\Theta(X,X)t}-1)(f_0(X)-y)+f_0(x)",
        "the output at a test point", training.at_test_point,
    ),
    Claim(
        "JGH.test-III", "JGH slides, Closed Form Solution (III)",
        r"f_t(x)=\int-\Theta(x,X)^Te^{-\Theta(x,X)t}(f_0(X)-y)\,dt",
        "the exponent on the way to the output at a test point",
    ),
    Claim(
        "JGH.final", "JGH slides, Training an Infinitely-Wide Network Infinitely Long",
        r"f_\infty(x)=\Theta(x,X)^T\Theta(X,X)^{-1}(y-f_0(X))+f_0(x),\quad f_\infty(X)=y\text{ if }\Theta(X,X)\succ0",
        "the end of training, and kernel regression", training.final_state,
    ),
)
