(** x_@off = @x0, x_(n+1) = G x_n, G x = @map, near a fixed point of the slope chi = @chi: the law of x_n, with Koenigs'
    constant, for every layer.
    Written by asympt from a proof object. Nothing that wrote it is trusted: coqc checks it. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
Require Import ParabolicLemmas Bounds Ladder Finite Law Hyper.
Import IT.
Open Scope R_scope.

Definition G (x : R) : R := @map.

(** The numbers of the proof. |S (G t) - chi S t| <= chi E t - E (G t), E = K t^k, on (0, r]; G increases on (0, T]; the
    start is layer off; steps: so many layers on, the last one is computed; c: the coefficients of the law in z. *)
Definition k := @k%nat.
Definition M := @M%nat.
Definition first := @first%nat.
Definition steps := @steps%nat.
Definition off := @off%nat.
Definition x0 : R := @x0.
Definition r : R := @range.
Definition T : R := @top.
Definition chi : R := @chi.
Definition c : list R := @c.
Definition S (x : R) : R := @S.
Definition K : R := @K.
Definition E (x : R) : R := K * x ^ k.
Definition B : R := @B.
Definition b : R := @b.
Definition reach : R := @reach.
Definition clo : R := @clo.
Definition cup : R := @cup.
Definition mid : R := @mid.
Definition half : R := @half.
Definition slack : R := @slack.
Definition tlo : R := @tlo.
Definition thi : R := @thi.

@lemmas
(** G t = t u(t, theta); what S leaves begins with t^k: Q. *)
Definition u (t th : R) : R := @u.
Definition Q (t th : R) : R := @Q.
Lemma g_u t : 0 < t <= r -> exists th, tlo <= th <= thi /\ G t = t * u t th.
Proof.
intros h. destruct (g_series t h) as [th [h1 ->]]. exists th. split; [exact h1|]. clear. unfold u.
field; repeat split; exact PI_neq0.
Qed.
Lemma left_is t th : S (t * u t th) - chi * S t = t ^ k * Q t th.
Proof. unfold S, chi, u, Q, k. field; repeat split; exact PI_neq0. Qed.
Lemma room_is t th : chi * E t - E (t * u t th) = t ^ k * (K * (chi - u t th ^ k)).
Proof. unfold E. rewrite Rpow_mult_distr. ring. Qed.
Lemma u_in t th : 0 < t <= r -> tlo <= th <= thi -> 0 < u t th <= 1 /\
  0 <= K * (chi - u t th ^ k) + Q t th /\ 0 <= K * (chi - u t th ^ k) - Q t th.
Proof.
unfold r, tlo, thi; intros. unfold u, Q, K, chi, k.
repeat split; interval with (i_prec 60, i_bisect t, i_bisect th, i_depth 25).
Qed.
Lemma g_in t : 0 < t <= r -> 0 < G t <= r.
Proof. intros h. destruct (g_u t h) as [th [h1 ->]]. pose proof (u_in t th h h1). split; nra. Qed.
Lemma E_pos t : 0 < t <= r -> 0 <= E t.
Proof. intros h. unfold E, K. apply Rmult_le_pos; [lra | apply pow_le; lra]. Qed.
Lemma defect t : 0 < t <= r -> Rabs (S (G t) - chi * S t) <= chi * E t - E (G t).
Proof.
intros h. destruct (g_u t h) as [th [h1 ->]]. destruct (u_in t th h h1) as [_ [h2 h3]]. pose proof (pow_le t k ltac:(lra)).
rewrite left_is, room_is, Rabs_mult, Rabs_pos_eq by assumption. apply Rmult_le_compat_l; [assumption | apply Rabs_le; lra].
Qed.
Lemma plus s t : 0 < s -> s < t -> t <= r -> S s + E s < S t + E t.
Proof.
apply (increasing_strictly (fun t => S t + E t) (fun t => @plus)); intros x.
- unfold S, E, K, k. auto_derive; [exact Logic.I | field].
- unfold r. intros h. interval with (i_prec 60, i_bisect x, i_depth 20).
Qed.
Lemma minus s t : 0 < s -> s < t -> t <= r -> S s - E s < S t - E t.
Proof.
apply (increasing_strictly (fun t => S t - E t) (fun t => @minus)); intros x.
- unfold S, E, K, k. auto_derive; [exact Logic.I | field].
- unfold r. intros h. interval with (i_prec 60, i_bisect x, i_depth 20).
Qed.

(** Beside the law. *)
Lemma low z : 0 < z <= reach -> let y := pol c z - b * z ^ M in 0 < y <= r /\ S y + E y <= z.
Proof.
intros h y. assert (e : z - (S y + E y) = z ^ M * (@low)) by (unfold y, S, E, K, k, c, b, M; cbn [pol]; field).
assert (f : y = z * (@ylow)) by (unfold y, c, b, M; cbn [pol]; field).
assert (n : 0 <= @low) by (clear - h; unfold reach in h; interval with (i_prec 60, i_bisect z, i_depth 20)).
assert (p : 0 < @ylow) by (clear - h; unfold reach in h; interval with (i_prec 60, i_bisect z, i_depth 20)).
assert (w : z * (@ylow) <= r) by (clear - h; unfold r, reach in *; interval with (i_prec 60, i_bisect z, i_depth 20)).
pose proof (Rmult_le_pos _ _ (pow_le z M ltac:(lra)) n). rewrite <- e in H. rewrite f in *. split; [split; [apply Rmult_lt_0_compat; lra | exact w] | lra].
Qed.
Lemma upp z : 0 < z <= reach -> let y := pol c z + b * z ^ M in 0 < y <= r /\ z <= S y - E y.
Proof.
intros h y. assert (e : S y - E y - z = z ^ M * (@upp)) by (unfold y, S, E, K, k, c, b, M; cbn [pol]; field).
assert (f : y = z * (@yupp)) by (unfold y, c, b, M; cbn [pol]; field).
assert (n : 0 <= @upp) by (clear - h; unfold reach in h; interval with (i_prec 60, i_bisect z, i_depth 20)).
assert (p : 0 < @yupp) by (clear - h; unfold reach in h; interval with (i_prec 60, i_bisect z, i_depth 20)).
assert (w : z * (@yupp) <= r) by (clear - h; unfold r, reach in *; interval with (i_prec 60, i_bisect z, i_depth 20)).
pose proof (Rmult_le_pos _ _ (pow_le z M ltac:(lra)) n). rewrite <- e in H. rewrite f in *. split; [split; [apply Rmult_lt_0_compat; lra | exact w] | lra].
Qed.

(** The first layers by reflection. *)
Definition ge : ex := @mape.
Lemma G_ge x n : G x = evR ge x n. Proof. reflexivity. Qed.
Definition prec : SFZ.precision := @prec%Z.
Definition we : ex := Exp (Mul N (Ln @chie)).
Definition pole (z : ex) : ex := @pole.
Definition each : ex := Sub (Sub (Mul @Be (Pow we M)) (Abs (Sub X (pole (Mul @mide we))))) (Mul @slacke we).
Definition Se : ex := @Se.
Definition Ee : ex := Mul @Ke (Pow X k).
Definition lowe : ex := Sub (Sub Se Ee) (Mul @cloe we).
Definition uppe : ex := Sub (Mul @cupe we) (Add Se Ee).
Lemma computed : run prec ge each @tope (Sub @rangee X :: lowe :: uppe :: nil) (Z.of_nat first)
  (lowpt (evI prec @x0e I.zero I.zero)) (uppt (evI prec @x0e I.zero I.zero)) (Z.of_nat off) steps = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Lemma computed_domain : dom_on prec ge @rangee @pieces @pieces = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
(** Every node of the map inside its real domain on all of (0, r], and at every layer. *)
Theorem g_domain x i : 0 < x <= r -> dom ge x i.
Proof.
intros h. assert (d0 : dom ge x 0); [|revert d0; cbn [dom ge evR]; tauto].
apply (dom_on_correct prec ge @rangee @pieces x r); [reflexivity | unfold r; lra | lia | exact computed_domain | lra].
Qed.
Lemma G_up x y : 0 < x -> x <= y -> y <= T -> G x <= G y.
Proof. intros. apply (increasing G d1 T slope rises); lra. Qed.
Lemma INR_last : INR (steps + off) = @last. Proof. unfold steps, off. rewrite INR_IZR_INZ. reflexivity. Qed.
Lemma all : (forall n, dom ge (orbit G x0 n) (INR (n + off))) /\
  exists C, clo <= C <= cup /\ forall n, (first <= n)%nat -> Rabs (orbit G x0 (n - off) - pol c (C * chi ^ n)) <= B * (chi ^ n) ^ M.
Proof.
apply (both G S E r chi b B reach clo cup mid half slack T c M first steps off) with
  (prec := prec) (ge := ge) (x0e := @x0e) (tope := @tope) (each := each) (re := @rangee) (low := lowe) (upp := uppe).
all: try exact g_in; try exact E_pos; try exact defect; try exact plus; try exact minus; try exact low; try exact upp.
all: try exact G_ge; try exact G_up; try exact computed; try exact g_domain; try reflexivity.
all: unfold first, off, slack, half, mid, clo, cup, b, B, chi; try lia; try lra.
all: unfold reach, M, steps, c; cbn [lip size Nat.add]; first [lra | interval with (i_prec 60)].
Qed.
(** Every node of the map inside its real domain at every layer. *)
Theorem domain n : dom ge (orbit G x0 n) (INR (n + off)).
Proof. exact (proj1 all n). Qed.
(** The law, with Koenigs' constant C. *)
Theorem law : exists C, @clo <= C <= @cup /\ forall n, (@first <= n)%nat ->
  Rabs (orbit (fun x => @map) @x0 @index - (@law)) <= @B * (@chi ^ n) ^ @M.
Proof.
destruct all as [_ [C [h1 h2]]]. exists C. split; [exact h1|]. intros n hn. specialize (h2 n hn).
unfold off in h2. rewrite ?Nat.sub_0_r in h2.
replace (@law) with (pol c (C * chi ^ n)) by (unfold c, chi; cbn [pol]; field). exact h2.
Qed.
Definition theorems := (g_domain, domain, law).
Print Assumptions theorems.
