(** The NTK of a ReLU network on the Edge of Chaos, for all pairs of inputs: a^L = K^L(x, x') / sqrt(K^1(x, x) K^1(x', x'))
    has a^1 = c^1, a^(L+1) = F'(c^L) a^L + F(c^L), and for all -1 <= c^1 < 1 and L >= 1
      a^L / L = 1/4 + (3/8) log L / L + R,  |R| <= (4 / sqrt (1 - c^1) + 6) / L.
    With P t = al/(4t) - 1/8 one layer takes P to F' P + F up to 2 (1 - F') ([left_over]), so that |a - P| <= kappa, kappa >= 2,
    once is so for ever ([forward]); what remains is the Abel function of t = sqrt (1 - c), whose constant is known from the
    first layer up to t. *)
From Coq Require Import Reals Lra Lia ZArith.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
Require Import ParabolicLemmas Bounds Finite Forward TwoTerm ReluMap.
Import IT.
Open Scope R_scope.

(** F' *)
Definition F1 (c : R) := 1 - acos c / PI.
Lemma F_derive c : -1 < c < 1 -> is_derive F c (F1 c).
Proof.
intros h. pose proof PI_bd. assert (p : 0 < 1 - c ^ 2) by nra. assert (s : 0 < sqrt (1 - c ^ 2)) by (apply sqrt_lt_R0, p).
assert (a : is_derive acos c (- / sqrt (1 - c ^ 2))).
{ apply is_derive_Reals. pose proof (derive_pt_eq_1 _ _ _ _ (derive_pt_acos c h)) as d.
  replace (- / sqrt (1 - c ^ 2)) with (-1 / sqrt (1 - c²)); [exact d|].
  replace (1 - c²) with (1 - c ^ 2) by (unfold Rsqr; ring). field. lra. }
unfold F, F1. auto_derive.
- split; [lra|]. split; [exists (- / sqrt (1 - c ^ 2)); exact a | exact Logic.I].
- replace (Derive (fun x => acos x) c) with (- / sqrt (1 - c ^ 2)) by (symmetry; exact (is_derive_unique _ _ _ a)). replace (1 + - (c * (c * 1))) with (1 - c ^ 2) by ring. field. split; lra.
Qed.

(** The kernel of layer n + 1. *)
Fixpoint ntk (c : R) (n : nat) : R :=
  match n with O => c | S k => F1 (orbit F c k) * ntk c k + F (orbit F c k) end.
Definition P (t : R) := al / (4 * t) - 1/8.

Lemma F1_in c : 0 <= F1 c <= 1.
Proof.
pose proof PI_bd. pose proof (acos_bound c) as b. unfold F1. assert (0 <= acos c / PI <= 1); [|lra].
split; [apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]|].
apply Rmult_le_reg_r with PI; [lra|]. replace (acos c / PI * PI) with (acos c) by (field; lra). lra.
Qed.

(** acos (1 - t^2) over PI *)
Lemma lost t : 0 < t <= r -> exists h, 1 - F1 (1 - t ^ 2) = 3 * t * h / al /\ 1 <= h <= 1 + 12/100 * t ^ 2.
Proof.
intros ht. destruct (phi_of t ht) as [phi [hp e]]. pose proof PI_bd as pb. pose proof s2 as q. pose proof s22 as qq. pose proof al_bd as ab.
unfold r in ht. assert (sp : 0 < sin phi) by (apply sin_gt_0; lra).
destruct (sin_taylor phi ltac:(lra)) as [a [ha hs]].
assert (p2 : 0 < phi ^ 2 <= 55/100) by nra.
assert (up : phi * (1 - phi ^ 2 / 6) <= sin phi).
{ rewrite hs. apply Rmult_le_compat_l; [lra|]. replace (phi ^ 4) with (phi ^ 2 * phi ^ 2) by ring.
  set (f := phi ^ 2) in *. assert (0 <= a * f <= 1) by nra.
  assert (0 <= f * (f * (1/120 - a * f / 5040))) by (apply Rmult_le_pos; [lra | apply Rmult_le_pos; lra]). lra. }
assert (low : sin phi <= phi) by (left; apply sin_lt_x; lra).
assert (t2 : t ^ 2 = 2 * sin phi ^ 2) by (rewrite e; replace ((sqrt 2 * sin phi) ^ 2) with (sqrt 2 * sqrt 2 * sin phi ^ 2) by ring; rewrite qq; ring).
assert (o : 908/1000 * phi <= sin phi).
{ eapply Rle_trans; [|exact up]. rewrite Rmult_comm. apply Rmult_le_compat_l; lra. }
exists (phi / sin phi). split.
- unfold F1. replace (1 - t ^ 2) with (cos (2 * phi)) by (rewrite cos_2a_sin, t2; ring). rewrite acos_cos by lra.
  rewrite e. unfold al. replace (3 * (sqrt 2 * sin phi) * (phi / sin phi) / (3 * PI / sqrt 2)) with (sqrt 2 * sqrt 2 * phi / PI) by (field; lra).
  rewrite qq. field. lra.
- split; apply Rmult_le_reg_r with (sin phi); try exact sp; replace (phi / sin phi * sin phi) with phi by (field; lra); [lra|].
  rewrite t2. assert (phi ^ 3 / 6 <= 12/100 * (2 * sin phi ^ 2) * sin phi); [|nra].
  assert (c : (908/1000 * phi) ^ 3 <= sin phi ^ 3) by (apply pow_incr; lra).
  replace ((908/1000 * phi) ^ 3) with (748613312/1000000000 * phi ^ 3) in c by field.
  pose proof (pow_lt phi 3 ltac:(lra)). replace (12/100 * (2 * sin phi ^ 2) * sin phi) with (24/100 * sin phi ^ 3) by field. lra.
Qed.

(** What one layer leaves of P: at most 2 (1 - F'). *)
Lemma left_over t : 0 < t <= r -> let lam := F1 (1 - t ^ 2) in
  Rabs (P (gt t) - lam * P t - (1 - gt t ^ 2)) <= 2 * (1 - lam).
Proof.
intros ht lam. destruct (lost t ht) as [h [hl hh]]. fold lam in hl.
destruct (step_Y t ht) as (f & a & b & Y & hf & _ & _ & hY & hft & hg & hY2 & hG). set (g := G f a b) in *.
pose proof al_bd as ab. unfold r in ht.
set (q := / ((1 - Y / 2) * (1 - Y))).
assert (p0 : 0 < (1 - Y / 2) * (1 - Y)) by nra.
assert (d : P (gt t) - lam * P t - (1 - gt t ^ 2) = g * q / 4 + 3/4 * h - 1 - (1 - lam) / 8 + t ^ 2 * (1 - Y) ^ 2).
{ unfold P. replace lam with (1 - 3 * t * h / al) by lra. rewrite hg. unfold q.
  replace g with (al * Y * (1 - Y / 2) / t) by (rewrite hY2; field; lra). field. repeat split; lra. }
assert (q1 : q <= 1 + 3/2 * Y + 23/10 * Y ^ 2).
{ unfold q. apply Rmult_le_reg_r with ((1 - Y / 2) * (1 - Y)); [exact p0|]. rewrite Rinv_l by lra.
  replace ((1 + 3/2 * Y + 23/10 * Y ^ 2) * ((1 - Y / 2) * (1 - Y))) with (1 + Y ^ 2 * (55/100 - 27/10 * Y + 115/100 * Y ^ 2)) by field.
  assert (z : 0 <= Y ^ 2) by apply pow2_ge_0.
  assert (0 <= Y ^ 2 * (55/100 - 27/10 * Y + 115/100 * Y ^ 2)) by (apply Rmult_le_pos; lra). lra. }
assert (q2 : 1 <= q) by (unfold q; rewrite <- Rinv_1 at 1; apply Rinv_le_contravar; nra).
assert (q3 : q <= 133/100) by (assert (Y ^ 2 <= 289/10000) by nra; lra).
assert (Yt : Y <= 18/100 * t).
{ apply Rmult_le_reg_l with (al * (1 - Y / 2)); [nra|].
  replace (al * (1 - Y / 2) * Y) with (al * Y * (1 - Y / 2)) by ring. rewrite hY2.
  assert (g <= 10715/10000) by lra. assert (6.66 * (915/1000) <= al * (1 - Y / 2)) by (apply Rmult_le_compat; lra). nra. }
assert (tY : 15/100 * t <= Y).
{ apply Rmult_le_reg_l with al; [lra|]. apply Rle_trans with (1 * t); [nra|].
  apply Rle_trans with (g * t); [apply Rmult_le_compat_r; lra|]. rewrite <- hY2. assert (0 <= al * Y) by nra. nra. }
assert (t2 : 0 <= t ^ 2) by apply pow2_ge_0.
assert (gq1 : g * q <= 1 + 27/100 * t + 182/1000 * t ^ 2).
{ assert (g * q <= (1 + 13/100 * f) * q) by (apply Rmult_le_compat_r; lra).
  assert (f * q <= f * (133/100)) by (apply Rmult_le_compat_l; lra).
  assert (Y ^ 2 <= (18/100 * t) ^ 2) by (apply pow_incr; lra). lra. }
assert (gq2 : 1 <= g * q) by (rewrite <- (Rmult_1_l 1) at 1; apply Rmult_le_compat; lra).
assert (last : t ^ 2 * (1 - Y) ^ 2 <= t ^ 2 * (1 - 15/100 * t) ^ 2).
{ apply Rmult_le_compat_l; [exact t2|]. apply pow_incr; lra. }
assert (last0 : 0 <= t ^ 2 * (1 - Y) ^ 2) by (apply Rmult_le_pos; [exact t2 | apply pow2_ge_0]).
assert (k : 45/100 * t <= 1 - lam).
{ rewrite hl. apply Rmult_le_reg_r with al; [lra|]. replace (3 * t * h / al * al) with (3 * t * h) by (field; lra). nra. }
rewrite d. apply Rabs_le. split; [lra|].
assert (w : t ^ 2 * (1 - 15/100 * t) ^ 2 <= 72/100 * t).
{ replace (t ^ 2 * (1 - 15/100 * t) ^ 2) with (t * (t * (1 - 15/100 * t) ^ 2)) by ring.
  rewrite (Rmult_comm (72/100)). apply Rmult_le_compat_l; [lra|]. clear - ht. interval with (i_prec 40, i_bisect t). }
assert (t ^ 2 <= 95/100 * t) by nra. lra.
Qed.

(** A kernel along gt from any start on: a n belongs to layer n + s. *)
Section Along.
Variables (t0 : R) (a : nat -> R) (s : nat) (kappa : R).
Hypothesis Ht0 : 0 < t0 <= r.
Hypothesis Ha : forall n, let c := 1 - orbit gt t0 n ^ 2 in a (S n) = F1 c * a n + F c.
Hypothesis Hs : (1 <= s <= 3)%nat.
Hypothesis Hk : 2 <= kappa.
Hypothesis H0 : Rabs (a O - P t0) <= kappa.

Lemma near_P n : Rabs (a n - P (orbit gt t0 n)) <= kappa.
Proof.
apply (forward (fun n => F1 (1 - orbit gt t0 n ^ 2)) (fun n => kappa * (1 - F1 (1 - orbit gt t0 n ^ 2)))
  (fun n => Rabs (a n - P (orbit gt t0 n))) kappa 0); try lia; [intros; apply F1_in | exact H0 | | intros; lra].
intros k _. pose proof (orbit_in gt r g_in t0 k Ht0) as o. pose proof (left_over _ o) as l. cbv zeta in l.
assert (b : F (1 - orbit gt t0 k ^ 2) = 1 - gt (orbit gt t0 k) ^ 2).
{ pose proof (c_of_t t0 (S k) Ht0) as c. cbn [orbit] in c. rewrite (c_of_t t0 k Ht0) in c. exact c. }
rewrite Ha. cbn [orbit]. rewrite b. set (t := orbit gt t0 k) in *. pose proof (F1_in (1 - t ^ 2)) as hl.
set (lam := F1 (1 - t ^ 2)) in *.
replace (lam * a k + (1 - gt t ^ 2) - P (gt t)) with (lam * (a k - P t) + - (P (gt t) - lam * P t - (1 - gt t ^ 2))) by ring.
eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_mult, Rabs_Ropp, (Rabs_pos_eq lam) by lra.
assert (2 * (1 - lam) <= kappa * (1 - lam)) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Theorem along n : Rabs (a n - INR (n + s) / 4 - 3/8 * ln (INR (n + s))) <= 3/10 * (al / t0) + kappa.
Proof.
pose proof (abel_finite gt (Aab al rho 1) E r g_in defect t0 0 n Ht0) as h. cbn [Nat.add orbit] in h.
pose proof (near_P n) as p. pose proof (orbit_in gt r g_in t0 n Ht0) as o. set (t := orbit gt t0 n) in *.
unfold Aab, E, rho in h. rewrite !pow_1 in h. simpl (INR 0) in h.
rewrite plus_INR. assert (s3 : 1 <= INR s <= 3) by (split; [change 1 with (INR 1) | replace 3 with (INR 3) by (simpl; lra)]; apply le_INR; lia).
pose proof (pos_INR n) as n0. set (m := INR n) in *. set (w := INR s) in *.
pose proof al_bd as ab. pose proof Ht0 as T. unfold r in o, T.
assert (big : forall x, 0 < x <= 19/20 -> 7 <= al / x).
{ intros x hx. apply Rmult_le_reg_r with x; [lra|]. replace (al / x * x) with al by (field; lra). lra. }
assert (lx : forall x, 0 < x <= 19/20 -> ln x = ln al - ln (al / x)).
{ intros x hx. unfold Rdiv. rewrite ln_mult, ln_Rinv by (try apply Rinv_0_lt_compat; lra). ring. }
rewrite (lx t o), (lx t0 T) in h. pose proof (big t o) as u7. pose proof (big t0 T) as v7.
unfold P in p. replace (al / (4 * t)) with (al / t / 4) in p by (field; lra).
set (u := al / t) in *. set (v := al / t0) in *.
assert (tangent : forall x y, 0 < x -> 0 < y -> ln x <= x / y + ln y - 1).
{ intros x y hx hy. pose proof (ln_le (x / y) ltac:(apply Rdiv_lt_0_compat; lra)) as q. unfold Rdiv in q at 1.
  rewrite ln_mult, ln_Rinv in q by (try apply Rinv_0_lt_compat; lra). lra. }
assert (alx : forall x, 0 <= x -> x / al <= 151/1000 * x).
{ intros x hx. rewrite (Rmult_comm (151/1000)). unfold Rdiv. apply Rmult_le_compat_l; [exact hx|].
  apply Rmult_le_reg_r with al; [lra|]. rewrite Rinv_l by lra. lra. }
assert (mono : forall x, al <= x -> ln al <= ln x).
{ intros x [hx|<-]; [left; apply ln_increasing; lra | lra]. }
pose proof (tangent u al ltac:(lra) ltac:(lra)) as tu. pose proof (alx u ltac:(lra)) as au.
pose proof (tangent v al ltac:(lra) ltac:(lra)) as tv. pose proof (alx v ltac:(lra)) as av.
pose proof (mono u ltac:(lra)) as mu. pose proof (mono v ltac:(lra)) as mv.
apply Rabs_le_between in h. apply Rabs_le_between in p.
assert (nu : m + w <= u) by lra.
assert (un : u <= 1293/1000 * ((m + w) * (1 + v))).
{ assert (m + v <= (m + w) * (1 + v)) by nra. lra. }
assert (l8 : 2079/1000 <= ln 8 <= 208/100) by (split; interval with (i_prec 40)).
assert (l1 : ln (1293/1000) <= 257/1000) by (interval with (i_prec 40)).
assert (l7 : 189/100 <= ln al) by (unfold al; interval with (i_prec 40)).
pose proof (tangent (1 + v) 8 ltac:(lra) ltac:(lra)) as t8. pose proof (tangent v 8 ltac:(lra) ltac:(lra)) as t8'.
assert (low : ln (m + w) <= ln u) by (destruct nu as [nu|<-]; [left; apply ln_increasing; lra | lra]).
assert (upp : ln u <= ln (1293/1000) + (ln (m + w) + ln (1 + v))).
{ rewrite <- !ln_mult by (try apply Rmult_lt_0_compat; lra). destruct un as [un|<-]; [left; apply ln_increasing; lra | lra]. }
apply Rabs_le; split; lra.
Qed.
End Along.

Lemma F_minus1 : F (-1) = 0.
Proof. rewrite <- cos_PI, F_cos by (pose proof PI_bd; lra). rewrite sin_PI. field. pose proof PI_bd; lra. Qed.
Lemma F_0 : F 0 = / PI.
Proof. rewrite <- cos_PI2, F_cos by (pose proof PI_bd; lra). rewrite sin_PI2, cos_PI2. field. pose proof PI_bd; lra. Qed.
Lemma F_upp c : 0 <= c <= 1 -> F c <= 319/1000 + c.
Proof.
intros h. pose proof PI_bd. pose proof (acos_bound c) as b. unfold F.
apply Rmult_le_reg_r with PI; [lra|]. replace ((sqrt (1 - c ^ 2) + c * (PI - acos c)) / PI * PI)
  with (sqrt (1 - c ^ 2) + c * (PI - acos c)) by (field; lra).
assert (sqrt (1 - c ^ 2) <= 1) by (rewrite <- sqrt_1 at 2; apply sqrt_le_1_alt; nra). nra.
Qed.

Lemma orbit_two g x n : orbit g x (n + 2) = orbit g (g (g x)) n.
Proof. induction n; [reflexivity|]. cbn [Nat.add orbit]. rewrite IHn. reflexivity. Qed.
Lemma square t x : t = sqrt (1 - x) -> x <= 1 -> x = 1 - t ^ 2.
Proof. intros -> h. rewrite pow2_sqrt by lra. ring. Qed.

(** The kernel of layer L, for all c^1. *)
Theorem relu_kernel c : -1 <= c < 1 -> forall L, (1 <= L)%nat ->
  Rabs (ntk c (L - 1) - INR L / 4 - 3/8 * ln (INR L)) <= 4 / sqrt (1 - c) + 6.
Proof.
intros hc L hL. pose proof al_bd as ab. pose proof PI_bd as pb.
assert (q : 0 < sqrt (1 - c)) by (apply sqrt_lt_R0; lra).
destruct (Rle_lt_dec (1/10) c) as [h|h].
- assert (T : 0 < sqrt (1 - c) <= r).
  { split; [exact q|]. unfold r. rewrite <- (sqrt_pow2 (19/20)) by lra. apply sqrt_le_1_alt. lra. }
  set (t := sqrt (1 - c)) in *. assert (e : c = 1 - t ^ 2) by (apply (square t c); [reflexivity | lra]).
  unfold r in T. assert (v7 : 7 <= al / t).
  { apply Rmult_le_reg_r with t; [lra|]. replace (al / t * t) with al by (field; lra). lra. }
  assert (v : al / t <= 667/100 / t) by (unfold Rdiv; apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat |]; lra).
  pose proof (along t (ntk c) 1 (al / t / 4 + 1/4) T) as A.
  specialize (A ltac:(intros n; cbn [ntk]; rewrite e at 1 3; rewrite c_of_t by exact T; reflexivity) ltac:(lia) ltac:(lra)).
  assert (H0 : Rabs (ntk c 0 - P t) <= al / t / 4 + 1/4).
  { cbn [ntk]. unfold P. replace (al / (4 * t)) with (al / t / 4) by (field; lra). apply Rabs_le; lra. }
  specialize (A H0 (L - 1)%nat). replace (L - 1 + 1)%nat with L in A by lia.
  eapply Rle_trans; [exact A|]. replace (4 / t) with (4/(667/100) * (667/100 / t)) by (field; lra). lra.
- assert (w : 2828/1000 <= 4 / sqrt (1 - c)).
  { assert (sqrt (1 - c) <= sqrt 2) by (apply sqrt_le_1_alt; lra). assert (sqrt 2 <= 14143/10000) by (interval with (i_prec 40)).
    apply Rmult_le_reg_r with (sqrt (1 - c)); [exact q|]. replace (4 / sqrt (1 - c) * sqrt (1 - c)) with 4 by (field; lra). nra. }
  pose proof (F_mono (-1) c ltac:(lra) ltac:(lra) ltac:(lra)) as m1. rewrite F_minus1 in m1.
  pose proof (F_mono c (1/10) ltac:(lra) ltac:(lra) ltac:(lra)) as m2. pose proof (F_upp (1/10) ltac:(lra)) as m3.
  set (x1 := F c) in *. pose proof (F_mono 0 x1 ltac:(lra) ltac:(lra) ltac:(lra)) as m4. rewrite F_0 in m4.
  pose proof (F_upp x1 ltac:(lra)) as m5. set (x2 := F x1) in *.
  assert (ip : 318/1000 <= / PI) by (interval with (i_prec 40)).
  pose proof (F1_in c) as f1. pose proof (F1_in x1) as f2.
  assert (k1 : -1 <= ntk c 1 <= 52/100) by (cbn [ntk orbit]; fold x1; nra).
  assert (k2 : -7/10 <= ntk c 2 <= 13/10).
  { change (ntk c 2) with (F1 x1 * ntk c 1 + x2). nra. }
  destruct L as [|[|[|n]]]; [lia| | |].
  + simpl (1 - 1)%nat. cbn [ntk]. simpl (INR 1). rewrite ln_1. apply Rabs_le; lra.
  + simpl (2 - 1)%nat. replace (INR 2) with 2 by (simpl; lra). assert (0 <= ln 2 <= 1) by (split; interval with (i_prec 40)).
    apply Rabs_le; lra.
  + set (t := sqrt (1 - x2)). assert (T : 51/100 <= t <= 83/100).
    { unfold t. rewrite <- (sqrt_pow2 (51/100)), <- (sqrt_pow2 (83/100)) by lra. split; apply sqrt_le_1_alt; lra. }
    assert (e : x2 = 1 - t ^ 2) by (apply (square t x2); [reflexivity | lra]).
    assert (v : 8 <= al / t <= 131/10).
    { split; apply Rmult_le_reg_r with t; try lra; replace (al / t * t) with al by (field; lra); lra. }
    assert (T' : 0 < t <= r) by (unfold r; lra).
    pose proof (along t (fun n => ntk c (n + 2)) 3 4 T') as A.
    assert (Ha : forall n, let y := 1 - orbit gt t n ^ 2 in ntk c (S n + 2) = F1 y * ntk c (n + 2) + F y).
    { intros j y. change (S j + 2)%nat with (S (j + 2)). cbn [ntk]. rewrite orbit_two. fold x1. fold x2.
      replace (orbit F x2 j) with y by (rewrite e; unfold y; symmetry; apply c_of_t, T'). reflexivity. }
    specialize (A Ha ltac:(lia) ltac:(lra)).
    assert (H0 : Rabs (ntk c (0 + 2) - P t) <= 4).
    { simpl (0 + 2)%nat. unfold P. replace (al / (4 * t)) with (al / t / 4) by (field; lra). apply Rabs_le; lra. }
    specialize (A H0 n). replace (n + 3)%nat with (S (S (S n))) in A by lia.
    replace (S (S (S n)) - 1)%nat with (n + 2)%nat by lia. lra.
Qed.

(** Its average. *)
Theorem relu_ntk c : -1 <= c < 1 -> forall L, (1 <= L)%nat ->
  Rabs (ntk c (L - 1) / INR L - 1/4 - 3/8 * ln (INR L) / INR L) <= (4 / sqrt (1 - c) + 6) / INR L.
Proof.
intros hc L hL. pose proof (relu_kernel c hc L hL) as k. assert (n0 : 0 < INR L) by (apply lt_0_INR; lia).
replace (ntk c (L - 1) / INR L - 1/4 - 3/8 * ln (INR L) / INR L)
  with ((ntk c (L - 1) - INR L / 4 - 3/8 * ln (INR L)) / INR L) by (field; lra).
unfold Rdiv at 1. rewrite Rabs_mult, (Rabs_pos_eq (/ INR L)) by (left; apply Rinv_0_lt_compat; exact n0).
apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; exact n0 | exact k].
Qed.

(** The rate log L / L of the average NTK, uniform in all pairs with c^1 <= 1 - eps. *)
Theorem relu_sup eps c : 0 < eps -> -1 <= c <= 1 - eps -> forall L, (2 <= L)%nat ->
  Rabs (ntk c (L - 1) / INR L - 1/4) <= (3/8 + (4 / sqrt eps + 6) / ln 2) * (ln (INR L) / INR L).
Proof.
intros he hc L hL. pose proof (relu_ntk c ltac:(lra) L ltac:(lia)) as k. apply Rabs_le_between in k.
assert (n2 : 2 <= INR L) by (replace 2 with (INR 2) by (simpl; lra); apply le_INR, hL).
assert (l2 : 0 < ln 2) by (interval with (i_prec 40)).
assert (l : 1 <= ln (INR L) / ln 2).
{ apply Rmult_le_reg_r with (ln 2); [exact l2|]. replace (ln (INR L) / ln 2 * ln 2) with (ln (INR L)) by (field; lra).
  destruct n2 as [n2|<-]; [left; rewrite Rmult_1_l; apply ln_increasing; lra | lra]. }
assert (s : 0 < sqrt eps) by (apply sqrt_lt_R0, he).
assert (b : 4 / sqrt (1 - c) <= 4 / sqrt eps).
{ apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; [exact s | apply sqrt_le_1_alt; lra]. }
assert (p : 0 < / INR L) by (apply Rinv_0_lt_compat; lra).
set (M := 4 / sqrt eps + 6) in *. assert (M0 : 0 <= M) by (assert (0 < 4 / sqrt eps) by (apply Rdiv_lt_0_compat; lra); unfold M; lra).
assert (m : (4 / sqrt (1 - c) + 6) / INR L <= M * (ln (INR L) / ln 2) * / INR L).
{ unfold Rdiv at 1. apply Rmult_le_compat_r; [lra|]. apply Rle_trans with (M * 1); [unfold M; lra|]. apply Rmult_le_compat_l; assumption. }
replace ((3/8 + M / ln 2) * (ln (INR L) / INR L)) with (3/8 * ln (INR L) / INR L + M * (ln (INR L) / ln 2) * / INR L) by (field; lra).
assert (0 <= 3/8 * ln (INR L) / INR L).
{ apply Rmult_le_pos; [|lra]. assert (0 < ln (INR L)) by (rewrite <- ln_1; apply ln_increasing; lra). lra. }
apply Rabs_le; split; lra.
Qed.
Definition theorems := (F_derive, relu_ntk, relu_sup).
Print Assumptions theorems.
