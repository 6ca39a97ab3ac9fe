(** x_@off @starts, x_(n+1) = f x_n, f x = G (x^(1/@q)), G x = @map: the law of x_n, with a constant, for every layer.
    Written by asympt from a proof object. Nothing that wrote it is trusted: coqc checks it. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
Require Import ParabolicLemmas Bounds Ladder TwoTerm Finite Law.
Import IT.
Open Scope R_scope.

Definition q := @q%nat.
Definition G (x : R) : R := @map.
Definition f (x : R) : R := G (root q x).
Definition g (t : R) : R := root q (G t).

(** The numbers of the proof. A t = al / t^m + rho log t, error K t^k, on (0, r]; G increases on (0, T]; the starts are layer
    off; steps: so many layers on, the last one is computed. *)
Definition m := @m%nat.
Definition k := @k%nat.
Definition J := @J%nat.
Definition first := @first%nat.
Definition steps := @steps%nat.
Definition off := @off%nat.
Definition lo : R := @lo.
Definition hi : R := @hi.
Definition r : R := @range.
Definition T : R := @top.
Definition al : R := @alpha.
Definition rho : R := @rho.
Definition l1 : R := @l1.
Definition K : R := @K.
Definition B : R := @B.
Definition b : R := @b.
Definition W : R := @W.
Definition clo : R := @clo.
Definition chi : R := @chi.
Definition y0 : R := @y0.
Definition tlo : R := @tlo.
Definition thi : R := @thi.

@lemmas
Lemma f_up x y : 0 < x -> x <= y -> y <= T ^ q -> f x <= f y.
Proof. apply (root_up G d1); [unfold q; lia | unfold T; lra | exact slope | exact rises]. Qed.

(** G t = t^q (1 - t^m v(t, theta)). *)
Definition v (t th : R) : R := @v.
Lemma g_taylor t : 0 < t <= r -> exists th, tlo <= th <= thi /\ G t = pw q t * (1 - t ^ m * v t th).
Proof.
intros h. destruct (g_series t h) as [th [h1 ->]]. exists th. split; [exact h1|]. clear. unfold q, v, m. cbn [pw].
field; repeat split; exact PI_neq0.
Qed.
Lemma v_in t th : 0 < t <= r -> tlo <= th <= thi -> 0 <= t ^ m * v t th <= y0.
Proof. unfold r, tlo, thi, y0, v, m; intros. split; interval with (i_prec 60, i_bisect t, i_depth 20). Qed.

(** The defect begins with t^(k+m): what is left of it is P. *)
Definition P (t th ph ps : R) : R := @P.
Lemma defect_is t th ph ps : @defect = t ^ (k + m) * P t th ph ps.
Proof. unfold defect_top, root_top, P, v, al, rho, m, k, J. simpl geo. simpl lnp. cbv [Nat.add]. field; repeat split; exact PI_neq0. Qed.
Lemma P_in t th ph ps : 0 < t <= r -> tlo <= th <= thi -> 0 <= ph <= @phi -> 0 <= ps <= @psi ->
  0 <= @room + P t th ph ps /\ 0 <= @room - P t th ph ps.
Proof.
unfold r, tlo, thi; intros. unfold room, root_room, P, v, K, m, k. simpl geo.
split; interval with (i_prec 60, i_bisect t, i_bisect ph, i_bisect th, i_bisect ps, i_depth 25).
Qed.
Lemma defect_le t th ph ps : 0 < t <= r -> tlo <= th <= thi -> 0 <= ph <= / (INR (S J) * (1 - y0)) ->
  0 <= ps <= / (2 * (2 - y0) ^ 3) -> Rabs (@defect) <= t ^ (k + m) * @room.
Proof.
intros h1 h2 [h3 h4] [h6 h7].
assert (h5 : ph <= @phi) by (eapply Rle_trans; [exact h4|]; unfold J, y0; simpl INR; right; field).
assert (h8 : ps <= @psi) by (eapply Rle_trans; [exact h7|]; unfold y0; right; field).
destruct (P_in t th ph ps h1 h2 (conj h3 h5) (conj h6 h8)). pose proof (pow_le t (k + m) ltac:(lra)).
rewrite (defect_is t th ph ps), Rabs_mult, Rabs_pos_eq by assumption. apply Rmult_le_compat_l; [assumption|]. apply Rabs_le; split; lra.
Qed.
Lemma K_pos : 0 <= K. Proof. unfold K; lra. Qed.
Lemma y0_lt : y0 < 1. Proof. unfold y0; lra. Qed.
Lemma zero_ps : 0 <= 0 <= / (2 * (2 - y0) ^ 3).
Proof. split; [lra|]. left. apply Rinv_0_lt_compat, Rmult_lt_0_compat; [lra | apply pow_lt; unfold y0; lra]. Qed.
Lemma g_in t : 0 < t <= r -> 0 < g t <= r /\ 0 < G t.
Proof. @g_in Qed.
Lemma g_defect t : 0 < t <= r -> Rabs (Aab al rho m (g t) - Aab al rho m t - 1) <= K * t ^ k - K * g t ^ k.
Proof. @g_defect Qed.

(** The first layers by reflection: domains, the law from layer `first` on, the constant at the last layer. *)
Definition ge : ex := @mape.
Definition fe : ex := subst ge (roote q X).
Lemma G_ge x n : G x = evR ge x n. Proof. reflexivity. Qed.
Definition prec : SFZ.precision := @prec%Z.
Definition each : ex := gap q m @alphae @l1e @Be.
Definition ends : list ex := at_last q m k @alphae @rhoe @Ke @cloe @chie @rangee.
Lemma computed : run prec fe each (Pow @tope q) ends (Z.of_nat first)
  (lowpt (evI prec @loe I.zero I.zero)) (uppt (evI prec @hie I.zero I.zero)) (Z.of_nat off) steps = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Lemma computed_domain : dom_on prec ge @rangee @pieces @pieces = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

(** Every node of the map inside its real domain on all of (0, r]. *)
Theorem g_domain x i : 0 < x <= r -> dom ge x i.
Proof.
intros h. assert (d0 : dom ge x 0); [|revert d0; cbn [dom ge evR]; tauto].
apply (dom_on_correct prec ge @rangee @pieces x r); [reflexivity | unfold r; lra | lia | exact computed_domain | lra].
Qed.

Lemma INR_last : INR (steps + off) = @last. Proof. unfold steps, off. rewrite INR_IZR_INZ. reflexivity. Qed.
Lemma Rabs_rho : Rabs rho = @absrho. Proof. unfold rho. first [apply Rabs_pos_eq; lra | rewrite Rabs_left; lra]. Qed.
Lemma all x0 : lo <= x0 <= hi -> (forall n, dom fe (orbit f x0 n) (INR (n + off))) /\
  (exists C, clo <= C <= chi /\ forall n, (steps + off <= n)%nat ->
    Rabs (Aab al rho m (root q (orbit f x0 (n - off))) - INR n - C) <= K * root q (orbit f x0 (n - off)) ^ k) /\
  (forall n, (first <= n)%nat ->
    Rabs (orbit f x0 (n - off) - pw q (root m (al / INR n)) * (1 - l1 * ln (INR n) / INR n)) <= B / (INR n * pw q (root m (INR n)))).
Proof.
intros h. apply (two_terms G r al rho K l1 B b W clo chi (T ^ q) q m k first steps off) with (prec := prec) (loe := @loe)
  (hie := @hie) (tope := Pow @tope q) (re := @rangee) (ale := @alphae) (rhoe := @rhoe) (l1e := @l1e) (Ke := @Ke) (Be := @Be)
  (cloe := @cloe) (chie := @chie).
all: try exact G_ge; try exact g_defect; try exact f_up; try exact g_domain; try exact computed; try exact h; try reflexivity.
all: try (intros t0 h0; apply (g_in t0 h0)).
all: rewrite ?Rabs_rho, ?INR_last; unfold first, steps, off, r, al, rho, l1, K, B, b, W, clo, chi, m, k, q; try lia.
all: cbn [root]; unfold Rpower; simpl INR; cbn [pow]; first [lra | field | interval with (i_prec 60)].
Qed.

(** Every node of the map inside its real domain at every layer: what Coq's total functions are outside plays no part. *)
Theorem domain@start forall n, dom fe (orbit f @x0 n) (INR (n + off)).
Proof. @intro destruct (all @x0 ltac:(unfold lo, hi; lra)) as [h _]. exact h. Qed.
(** The constant of Abel's function. *)
Theorem constant@start exists C, @clo <= C <= @chi /\
  forall n, (@last <= n)%nat -> let t := @root_x in
    Rabs (@alpha / t ^ @m + @rho * ln t - INR n - C) <= @K * t ^ @k.
Proof.
@intro destruct (all @x0 ltac:(unfold lo, hi; lra)) as [_ [[C [hC h]] _]]. exists C. split; [exact hC|].
intros n hn. specialize (h n hn). unfold off in h. rewrite ?Nat.sub_0_r in h. exact h.
Qed.
(** The law. *)
Theorem law@start forall n, (@first <= n)%nat ->
  Rabs (orbit (fun x => @printed) @x0 @index - @leading * (1 - @l1 * ln (INR n) / INR n)) <= @B / (INR n * @root_n).
Proof.
@intro destruct (all @x0 ltac:(unfold lo, hi; lra)) as [_ [_ h]].
intros n hn. specialize (h n hn). unfold off in h. rewrite ?Nat.sub_0_r in h. exact h.
Qed.
@more
Print Assumptions theorems.
