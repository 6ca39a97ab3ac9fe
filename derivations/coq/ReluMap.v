(** The correlation map of ReLU networks on the Edge of Chaos, F, and its Abel function.
    With t = sqrt (1 - c), one layer is gt t = t (1 - Y); t = sqrt 2 sin phi turns F's branch point at c = 1 into Taylor's
    formulas of sin phi and sin 2 phi - 2 phi cos 2 phi ([step_Y]).  A t = al/t + (3/2) log t has the error t on (0, 19/20]
    ([defect]): c >= 39/400 and all that follows. *)
From Coq Require Import Reals Lra Lia ZArith.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
Require Import ParabolicLemmas Finite Bounds TwoTerm.
Import IT.
Open Scope R_scope.

Definition F (c : R) := (sqrt (1 - c ^ 2) + c * (PI - acos c)) / PI.
Definition gt (t : R) := sqrt (1 - F (1 - t ^ 2)).
Definition r := 19/20.
Definition al := 3 * PI / sqrt 2.
Definition rho := 3/2.
Definition E (t : R) := t.

Lemma PI_bd : 3.1415 < PI < 3.1416. Proof. split; interval with (i_prec 40). Qed.
Lemma s2 : 0 < sqrt 2. Proof. apply sqrt_lt_R0; lra. Qed.
Lemma s22 : sqrt 2 * sqrt 2 = 2. Proof. apply sqrt_sqrt; lra. Qed.
Lemma al_bd : 6.66 < al < 6.665. Proof. unfold al; split; interval with (i_prec 40). Qed.

(** F at cos theta *)
Lemma F_cos th : 0 <= th <= PI -> F (cos th) = (sin th + (PI - th) * cos th) / PI.
Proof.
intros h. unfold F. rewrite acos_cos by lra. f_equal. f_equal; [|ring].
replace (1 - cos th ^ 2) with (sin th * sin th).
- apply sqrt_square. apply sin_ge_0; lra.
- pose proof (sin2_cos2 th) as s. unfold Rsqr in s. simpl. lra.
Qed.

(** sin x - x cos x = x^3/3 (1 - x^2/10 + theta x^4/280) *)
Lemma sxc x : 0 < x <= 3 -> exists th, 0 <= th <= 1 /\
  sin x - x * cos x = x ^ 3 / 3 * (1 - x ^ 2 / 10 + th * (x ^ 4 / 280)).
Proof.
intros h. pose proof PI_bd as pb.
assert (b : forall u, 0 <= u <= x -> u - u ^ 3 / 6 <= sin u <= u - u ^ 3 / 6 + u ^ 5 / 120).
{ intros u hu. destruct (sin_bound u 0 ltac:(lra) ltac:(lra)) as [w1 w2].
  unfold sin_approx, sin_term in w1, w2. simpl in w1, w2. lra. }
assert (z : sin 0 - 0 * cos 0 = 0) by (rewrite sin_0; ring).
assert (lo : 0 <= (sin x - x * cos x) - (x ^ 3 / 3 - x ^ 5 / 30)).
{ replace 0 with ((sin 0 - 0 * cos 0) - (0 ^ 3 / 3 - 0 ^ 5 / 30)) at 1 by (rewrite z; field).
  apply (from_zero (fun u => (sin u - u * cos u) - (u ^ 3 / 3 - u ^ 5 / 30)) (fun u => u * (sin u - (u - u ^ 3 / 6)))); [lra| |].
  - intros u hu. auto_derive; [exact Logic.I|field].
  - intros u hu. apply Rmult_le_pos; [lra|]. pose proof (b u hu); lra. }
assert (hi : 0 <= (x ^ 3 / 3 - x ^ 5 / 30 + x ^ 7 / 840) - (sin x - x * cos x)).
{ replace 0 with ((0 ^ 3 / 3 - 0 ^ 5 / 30 + 0 ^ 7 / 840) - (sin 0 - 0 * cos 0)) at 1 by (rewrite z; field).
  apply (from_zero (fun u => (u ^ 3 / 3 - u ^ 5 / 30 + u ^ 7 / 840) - (sin u - u * cos u))
    (fun u => u * ((u - u ^ 3 / 6 + u ^ 5 / 120) - sin u))); [lra| |].
  - intros u hu. auto_derive; [exact Logic.I|field].
  - intros u hu. apply Rmult_le_pos; [lra|]. pose proof (b u hu); lra. }
assert (x7 : 0 <= x ^ 7 / 840) by (pose proof (pow_le x 7 ltac:(lra)); lra).
destruct (theta_of (sin x - x * cos x) (x ^ 3 / 3 - x ^ 5 / 30) (x ^ 7 / 840)) as [th [a e]]; [lra|exact x7|].
exists th. split; [exact a|]. rewrite e. field.
Qed.

(** t = sqrt 2 sin phi *)
Lemma phi_of t : 0 < t <= r -> exists phi, 0 < phi <= 74/100 /\ t = sqrt 2 * sin phi.
Proof.
intros h. unfold r in h. pose proof PI_bd. pose proof s2 as q. pose proof s22 as qq.
assert (u : 0 < t / sqrt 2) by (apply Rdiv_lt_0_compat; lra).
assert (w : t / sqrt 2 <= 672/1000).
{ apply Rmult_le_reg_r with (sqrt 2); [lra|]. replace (t / sqrt 2 * sqrt 2) with t by (field; lra).
  assert (1.414 < sqrt 2) by (interval with (i_prec 40)). lra. }
set (phi := asin (t / sqrt 2)).
assert (s : sin phi = t / sqrt 2) by (apply sin_asin; lra).
pose proof (asin_bound (t / sqrt 2)) as b. fold phi in b.
exists phi. split; [split|].
- destruct (Rlt_le_dec 0 phi) as [|k]; [assumption|exfalso].
  assert (sin phi <= 0); [|lra]. rewrite <- sin_0. apply sin_incr_1; lra.
- destruct (Rle_lt_dec phi (74/100)) as [|k]; [assumption|exfalso].
  assert (a : sin (74/100) < sin phi) by (apply sin_increasing_1; lra).
  assert (674/1000 < sin (74/100)) by (interval with (i_prec 40)). lra.
- rewrite s. field. lra.
Qed.

Definition G (f a b : R) := (1 - 2 * f / 5 + b * (2 * f ^ 2 / 35)) / (1 - f * (1/6 - f / 120 + a * (f ^ 2 / 5040))) ^ 3.

(** The step: gt t = t (1 - Y), al Y (1 - Y/2) = G t. *)
Lemma step_Y t : 0 < t <= r -> exists f a b Y, 0 < f <= 55/100 /\ 0 <= a <= 1 /\ 0 <= b <= 1 /\ 0 < Y <= 17/100 /\
  f <= 6065/10000 * t ^ 2 /\ gt t = t * (1 - Y) /\ al * Y * (1 - Y / 2) = G f a b * t /\ 1 <= G f a b <= 1 + 13/100 * f.
Proof.
intros h. destruct (phi_of t h) as [phi [hp ht]]. pose proof PI_bd as pb. pose proof s2 as q. pose proof s22 as qq.
destruct (sin_taylor phi ltac:(lra)) as [a [ha hs]].
destruct (sxc (2 * phi) ltac:(lra)) as [b [hb hx]].
set (f := phi ^ 2). assert (hf : 0 < f <= 55/100) by (unfold f; nra).
set (s1 := 1/6 - f / 120 + a * (f ^ 2 / 5040)).
assert (hs1 : 16/100 <= s1 <= 1/6).
{ unfold s1. clear - hf ha. split; [interval with (i_prec 40, i_bisect f)|].
  assert (a * (f ^ 2 / 5040) <= f / 120); [|lra].
  assert (a * f ^ 2 <= 1 * (f * 1)); [|lra]. apply Rmult_le_compat; nra. }
assert (hsin : sin phi = phi * (1 - f * s1)) by (rewrite hs; unfold s1, f; f_equal; f_equal; f_equal; field).
assert (hd : 0 < 1 - f * s1) by nra.
set (n := 1 - 2 * f / 5 + b * (2 * f ^ 2 / 35)).
assert (hG : G f a b = n / (1 - f * s1) ^ 3) by reflexivity.
assert (d3 : 0 < (1 - f * s1) ^ 3) by (apply pow_lt; exact hd).
assert (k : n - (1 - f * s1) ^ 3 = f * (-2/5 + b * (2 * f / 35) + 3 * s1 - 3 * f * s1 ^ 2 + f ^ 2 * s1 ^ 3)).
{ unfold n; field. }
assert (k0 : 0 <= -2/5 + b * (2 * f / 35) + 3 * s1 - 3 * f * s1 ^ 2 + f ^ 2 * s1 ^ 3).
{ unfold s1. clear - hf ha hb. interval with (i_prec 40, i_bisect f). }
assert (k1 : 0 <= 13/100 * (1 - f * s1) ^ 3 - (-2/5 + b * (2 * f / 35) + 3 * s1 - 3 * f * s1 ^ 2 + f ^ 2 * s1 ^ 3)).
{ unfold s1. clear - hf ha hb. interval with (i_prec 40, i_bisect f, i_bisect b, i_bisect a, i_depth 20). }
assert (g1 : 1 <= G f a b).
{ rewrite hG. apply Rmult_le_reg_r with ((1 - f * s1) ^ 3); [exact d3|].
  replace (n / (1 - f * s1) ^ 3 * (1 - f * s1) ^ 3) with n by (field; lra). nra. }
assert (g2 : G f a b <= 1 + 13/100 * f).
{ rewrite hG. apply Rmult_le_reg_r with ((1 - f * s1) ^ 3); [exact d3|].
  replace (n / (1 - f * s1) ^ 3 * (1 - f * s1) ^ 3) with n by (field; lra). nra. }
(* y *)
set (y := (sin (2 * phi) - 2 * phi * cos (2 * phi)) / (PI * t ^ 2)).
assert (t2 : t ^ 2 = 2 * sin phi ^ 2) by (rewrite ht; replace ((sqrt 2 * sin phi) ^ 2) with (sqrt 2 * sqrt 2 * sin phi ^ 2) by ring; rewrite qq; ring).
assert (hy : y = 2 * G f a b * t / al).
{ unfold y. rewrite hx, hG. unfold al. rewrite t2.
  replace t with (sqrt 2 * sin phi) by (symmetry; exact ht). rewrite hsin. unfold n.
  replace ((2 * phi) ^ 3 / 3 * (1 - (2 * phi) ^ 2 / 10 + b * ((2 * phi) ^ 4 / 280)))
    with (8 * phi ^ 3 / 3 * (1 - 2 * f / 5 + b * (2 * f ^ 2 / 35))) by (unfold f; field).
  replace (2 * ((1 - 2 * f / 5 + b * (2 * f ^ 2 / 35)) / (1 - f * s1) ^ 3) * (sqrt 2 * (phi * (1 - f * s1))) / (3 * PI / sqrt 2))
    with ((sqrt 2 * sqrt 2) * (2 * (1 - 2 * f / 5 + b * (2 * f ^ 2 / 35)) / (1 - f * s1) ^ 3 * (phi * (1 - f * s1)) / (3 * PI)))
    by (field; repeat split; lra).
  rewrite qq. field. repeat split; lra. }
pose proof al_bd as ab. unfold r in h.
assert (hy' : 0 < y <= 31/100).
{ rewrite hy. split.
  - apply Rdiv_lt_0_compat; [|lra]. apply Rmult_lt_0_compat; lra.
  - apply Rmult_le_reg_r with al; [lra|]. replace (2 * G f a b * t / al * al) with (2 * G f a b * t) by (field; lra).
    assert (G f a b <= 10715/10000) by lra. assert (G f a b * t <= 10715/10000 * (19/20)) by (apply Rmult_le_compat; lra). lra. }
set (Y := 1 - sqrt (1 - y)).
assert (hsq : sqrt (1 - y) * sqrt (1 - y) = 1 - y) by (apply sqrt_sqrt; lra).
assert (hY : 0 < Y <= 17/100).
{ unfold Y. split.
  - assert (sqrt (1 - y) < sqrt 1) by (apply sqrt_lt_1; lra). rewrite sqrt_1 in *. lra.
  - assert (83/100 <= sqrt (1 - y)); [|lra]. interval with (i_prec 40). }
assert (hg : gt t = t * (1 - Y)).
{ unfold gt. replace (1 - t ^ 2) with (cos (2 * phi)) by (rewrite cos_2a_sin, t2; ring).
  rewrite F_cos by lra.
  replace (1 - (sin (2 * phi) + (PI - 2 * phi) * cos (2 * phi)) / PI) with (t ^ 2 * (1 - y)).
  - rewrite sqrt_mult by (try apply pow2_ge_0; lra). rewrite sqrt_pow2 by lra. unfold Y. ring.
  - unfold y. replace (1 - (sin (2 * phi) + (PI - 2 * phi) * cos (2 * phi)) / PI)
      with ((1 - cos (2 * phi)) - (sin (2 * phi) - 2 * phi * cos (2 * phi)) / PI) by (field; lra).
    replace (1 - cos (2 * phi)) with (t ^ 2) by (rewrite cos_2a_sin, t2; ring). field. lra. }
exists f, a, b, Y. split; [exact hf|]. split; [exact ha|]. split; [exact hb|]. split; [exact hY|].
split; [|split; [exact hg|split; [|lra]]].
- rewrite t2, hsin. replace ((phi * (1 - f * s1)) ^ 2) with (f * (1 - f * s1) ^ 2) by (unfold f; ring).
  assert (908/1000 <= 1 - f * s1) by nra. assert (o : 824464/1000000 <= (1 - f * s1) ^ 2) by nra.
  apply (Rmult_le_compat_l f) in o; lra.
- assert (e : Y * (2 - Y) = y) by (unfold Y; replace ((1 - sqrt (1 - y)) * (2 - (1 - sqrt (1 - y)))) with (1 - sqrt (1 - y) * sqrt (1 - y)) by ring; lra).
  replace (al * Y * (1 - Y / 2)) with (al / 2 * (Y * (2 - Y))) by field. rewrite e, hy. field. lra.
Qed.

Lemma g_in t : 0 < t <= r -> 0 < gt t <= r.
Proof. intros h. destruct (step_Y t h) as (f & a & b & Y & _ & _ & _ & hY & _ & hg & _). rewrite hg. split; nra. Qed.
Lemma E_pos t : 0 < t <= r -> 0 <= E t. Proof. unfold E; lra. Qed.

Lemma defect t : 0 < t <= r -> Rabs (Aab al rho 1 (gt t) - Aab al rho 1 t - 1) <= E t - E (gt t).
Proof.
intros h. destruct (step_Y t h) as (f & a & b & Y & hf & _ & _ & hY & hft & hg & hY2 & hG). set (g := G f a b) in *.
destruct (ln_taylor 2 Y (17/100) ltac:(lra) ltac:(lra)) as [ph [hph hl]]. simpl in hl.
pose proof al_bd as ab. unfold r in h.
set (q := / ((1 - Y / 2) * (1 - Y))).
assert (p0 : 0 < (1 - Y / 2) * (1 - Y)) by nra.
assert (d : Aab al rho 1 (gt t) - Aab al rho 1 t - 1 = g * q + 3/2 * ln (1 - Y) - 1).
{ unfold Aab, rho. rewrite hg, ln_mult by lra. rewrite !pow_1. unfold q.
  replace g with (al * Y * (1 - Y / 2) / t) by (rewrite hY2; field; lra). field. repeat split; lra. }
assert (q1 : q <= 1 + 3/2 * Y + 23/10 * Y ^ 2).
{ unfold q. apply Rmult_le_reg_r with ((1 - Y / 2) * (1 - Y)); [exact p0|]. rewrite Rinv_l by lra.
  replace ((1 + 3/2 * Y + 23/10 * Y ^ 2) * ((1 - Y / 2) * (1 - Y))) with (1 + Y ^ 2 * (55/100 - 27/10 * Y + 115/100 * Y ^ 2)) by field.
  assert (z : 0 <= Y ^ 2) by apply pow2_ge_0.
  assert (0 <= Y ^ 2 * (55/100 - 27/10 * Y + 115/100 * Y ^ 2)) by (apply Rmult_le_pos; lra). lra. }
assert (q2 : 1 + 3/2 * Y + 7/4 * Y ^ 2 <= q).
{ unfold q. apply Rmult_le_reg_r with ((1 - Y / 2) * (1 - Y)); [exact p0|]. rewrite Rinv_l by lra.
  replace ((1 + 3/2 * Y + 7/4 * Y ^ 2) * ((1 - Y / 2) * (1 - Y))) with (1 - Y ^ 3 * (15/8 - 7/8 * Y)) by field.
  assert (0 <= Y ^ 3 * (15/8 - 7/8 * Y)) by (apply Rmult_le_pos; [apply pow_le|]; lra). lra. }
assert (q3 : q <= 133/100) by (assert (Y ^ 2 <= 289/10000) by nra; lra).
assert (Yt : Y <= 18/100 * t).
{ apply Rmult_le_reg_l with (al * (1 - Y / 2)); [nra|].
  replace (al * (1 - Y / 2) * Y) with (al * Y * (1 - Y / 2)) by ring. rewrite hY2.
  assert (g <= 10715/10000) by lra. assert (6.66 * (915/1000) <= al * (1 - Y / 2)) by (apply Rmult_le_compat; lra). nra. }
assert (ftY : f <= 405/100 * (t * Y)).
{ assert (t <= al * Y); [|nra].
  apply Rle_trans with (g * t); [nra|]. rewrite <- hY2. nra. }
assert (e : E t - E (gt t) = t * Y) by (rewrite hg; unfold E; ring).
rewrite d, e, hl.
assert (ph2 : 0 <= ph <= 41/100).
{ split; [lra|]. eapply Rle_trans; [apply hph|]. simpl. lra. }
assert (Y2 : Y ^ 2 <= 18/100 * (t * Y)) by nra.
assert (Y3 : 0 <= Y ^ 3 <= 17/100 * Y ^ 2) by (split; [apply pow_le; lra | nra]).
assert (gq1 : g * q <= q + 1729/10000 * f).
{ assert (g * q <= (1 + 13/100 * f) * q) by (apply Rmult_le_compat_r; lra).
  assert (f * q <= f * (133/100)) by (apply Rmult_le_compat_l; lra). lra. }
assert (gq2 : q <= g * q) by (rewrite <- (Rmult_1_l q) at 1; apply Rmult_le_compat_r; lra).
assert (0 <= t * Y) by (apply Rmult_le_pos; lra).
apply Rabs_le; split; nra.
Qed.

(** From t to the correlation c = 1 - t^2. *)
Lemma c_of_t t n : 0 < t <= r -> orbit F (1 - t ^ 2) n = 1 - orbit gt t n ^ 2.
Proof.
intros h. induction n; [reflexivity|].
cbn [orbit]. rewrite IHn. pose proof (orbit_in gt r g_in t n h) as o.
set (u := orbit gt t n) in *. pose proof (g_in u o) as p. unfold gt in p at 1 |- *.
replace (sqrt (1 - F (1 - u ^ 2)) ^ 2) with (sqrt (1 - F (1 - u ^ 2)) * sqrt (1 - F (1 - u ^ 2))) by ring.
rewrite sqrt_sqrt; [ring|]. destruct (Rle_lt_dec 0 (1 - F (1 - u ^ 2))) as [|q]; [assumption|exfalso].
unfold gt in p. rewrite sqrt_neg_0 in p by lra. lra.
Qed.

(** F increases. *)
Lemma F_mono x y : -1 <= x -> x <= y -> y <= 1 -> F x <= F y.
Proof.
intros h1 h2 h3. pose proof (acos_bound x) as bx. pose proof (acos_bound y) as bY. pose proof PI_bd.
pose proof (cos_acos x ltac:(lra)) as cx. pose proof (cos_acos y ltac:(lra)) as cy.
assert (o : acos y <= acos x).
{ destruct (Rle_lt_dec (acos y) (acos x)) as [|q]; [assumption|exfalso].
  assert (cos (acos y) < cos (acos x)) by (apply cos_decreasing_1; lra). lra. }
rewrite <- cx at 1. rewrite <- cy at 1. rewrite !F_cos by lra.
set (a := acos y) in *. set (b := acos x) in *.
assert (m : sin b + (PI - b) * cos b <= sin a + (PI - a) * cos a).
{ pose proof (from_zero (fun u => - (sin (a + u) + (PI - (a + u)) * cos (a + u)))
    (fun u => (PI - (a + u)) * sin (a + u)) (b - a) ltac:(lra)) as z.
  cbv beta in z. rewrite Rplus_0_r in z. replace (a + (b - a)) with b in z by ring.
  assert (- (sin a + (PI - a) * cos a) <= - (sin b + (PI - b) * cos b)); [apply z|lra].
  - intros u hu. auto_derive; [exact Logic.I|ring].
  - intros u hu. apply Rmult_le_pos; [lra|]. apply sin_ge_0; lra. }
unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra | exact m].
Qed.
