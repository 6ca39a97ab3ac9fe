(** x_0 = @start, x_(n+1) = g x_n, g x = @map: the law of x_n, with a constant, for every layer.
    Written by asympt from a proof object. Nothing that wrote it is trusted: coqc checks it. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
Require Import ParabolicLemmas Bounds Ladder TwoTerm Finite Law.
Import IT.
Open Scope R_scope.

Definition g (x : R) : R := @map.
Definition x0 : R := @start.

(** The numbers of the proof. A t = al / t^m + rho log t, error K t^k, on (0, r]; last: the last layer that is computed. *)
Definition m := @m%nat.
Definition k := @k%nat.
Definition J := @J%nat.
Definition first := @first%nat.
Definition last := @last%nat.
Definition r : R := @range.
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

(** Side conditions of derivatives: a node's argument inside its domain. *)
Ltac inside := repeat split; first [exact Logic.I | lra | interval with (i_prec 40) |
  apply Rgt_not_eq; first [lra | interval with (i_prec 40)] | apply Rlt_not_eq; first [lra | interval with (i_prec 40)]].

(** g and its derivatives. *)
@derivatives
Definition d (j : nat) : R -> R := match j with @cases end%nat.
Lemma d_map x : 0 <= x <= r -> g x = d0 x.
Proof. unfold r, g, d0; intros h. field; inside. Qed.
Lemma rungs : ladder d @degree r.
Proof.
unfold r; intros j x hj hx. do @degree (destruct j as [|j]; [cbn [d]; unfold @unfolded; auto_derive; [inside | field; inside]|]). lia.
Qed.
Lemma top x : 0 <= x <= r -> tlo <= d @degree x <= thi.
Proof. cbn [d]. unfold r, d@degree, tlo, thi; intros h. split; first [lra | interval with (i_prec 40, i_bisect x, i_depth 20)]. Qed.

(** Their values at 0. *)
@values
(** g t = t (1 - t^m v(t, theta)). *)
Definition v (t th : R) : R := @v.
Lemma g_taylor t : 0 < t <= r -> exists th, tlo <= th <= thi /\ g t = t * (1 - t ^ m * v t th).
Proof.
intros h. destruct (taylor_ladder d @degree tlo thi r rungs top t h) as [th [h1 h2]]. exists th. split; [exact h1|].
rewrite (d_map t) by lra. change (d0 t) with (d 0 t). rewrite h2. cbn [taylor d]. factorials. rewrite @rewritten. unfold v, m.
try replace th with 0 by (unfold tlo, thi in h1; lra). clear; field.
Qed.
Lemma v_in t th : 0 < t <= r -> tlo <= th <= thi -> 0 <= t ^ m * v t th <= y0.
Proof. unfold r, tlo, thi, y0, v, m; intros. split; interval with (i_prec 40, i_bisect t, i_depth 20). Qed.

(** The defect begins with t^(k+m): what is left of it is P. *)
Definition P (t th ph : R) : R := @P.
Lemma defect_is t th ph : defect_top v al rho m J t th ph = t ^ (k + m) * P t th ph.
Proof. unfold defect_top, P, v, al, rho, m, k, J. simpl geo. simpl lnp. cbv [Nat.add]. field. Qed.
Lemma P_in t th ph : 0 < t <= r -> tlo <= th <= thi -> 0 <= ph <= @phi ->
  0 <= room v K m k t th + P t th ph /\ 0 <= room v K m k t th - P t th ph.
Proof.
unfold r, tlo, thi; intros. unfold room, P, v, K, m, k. simpl geo.
split; interval with (i_prec 40, i_bisect t, i_bisect ph, i_bisect th, i_depth 25).
Qed.
Lemma defect_le t th ph : 0 < t <= r -> tlo <= th <= thi -> 0 <= ph <= / (INR (S J) * (1 - y0)) ->
  Rabs (defect_top v al rho m J t th ph) <= t ^ (k + m) * room v K m k t th.
Proof.
intros h1 h2 [h3 h4]. assert (h5 : ph <= @phi) by (eapply Rle_trans; [exact h4|]; unfold J, y0; simpl INR; right; field).
destruct (P_in t th ph h1 h2 (conj h3 h5)). pose proof (pow_le t (k + m) ltac:(lra)).
rewrite defect_is, Rabs_mult, Rabs_pos_eq by assumption. apply Rmult_le_compat_l; [assumption|]. apply Rabs_le; split; lra.
Qed.
Lemma K_pos : 0 <= K. Proof. unfold K; lra. Qed.
Lemma y0_lt : y0 < 1. Proof. unfold y0; lra. Qed.
Lemma g_in t : 0 < t <= r -> 0 < g t <= r.
Proof. exact (map_in g v r y0 tlo thi m y0_lt g_taylor v_in t). Qed.
Lemma g_defect t : 0 < t <= r -> Rabs (Aab al rho m (g t) - Aab al rho m t - 1) <= K * t ^ k - K * g t ^ k.
Proof. exact (defect g v r al rho K y0 tlo thi m k J y0_lt g_taylor v_in defect_le t). Qed.

(** The first layers by reflection: domains, the law from layer `first` on, the constant at layer `last`. *)
Definition ge : ex := @mape.
Lemma g_ge x n : g x = evR ge x n. Proof. reflexivity. Qed.
Definition prec : SFZ.precision := @prec%Z.
Definition each : ex := gap m @alphae @l1e @Be.
Definition at_end : list ex := at_last m k @alphae @rhoe @Ke @cloe @chie @rangee.
Lemma computed : run prec ge each at_end (Z.of_nat first) (evI prec @starte I.zero I.zero) 0 last = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Lemma computed_domain : dom_on prec ge @rangee @pieces @pieces = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

(** Every node of the map inside its real domain on all of (0, r]. *)
Theorem g_domain x i : 0 < x <= r -> dom ge x i.
Proof.
intros h. assert (d0 : dom ge x 0); [|revert d0; cbn [dom ge evR]; tauto].
apply (dom_on_correct prec ge @rangee @pieces x r); [reflexivity | unfold r; lra | lia | exact computed_domain | lra].
Qed.

Lemma INR_last : INR last = @last. Proof. unfold last. rewrite INR_IZR_INZ. reflexivity. Qed.
Lemma Rabs_rho : Rabs rho = @absrho. Proof. unfold rho. first [apply Rabs_pos_eq; lra | rewrite Rabs_left; lra]. Qed.
Lemma all : (forall n, dom ge (orbit g x0 n) (INR n)) /\
  (exists C, clo <= C <= chi /\
    forall n, (last <= n)%nat -> Rabs (Aab al rho m (orbit g x0 n) - INR n - C) <= K * orbit g x0 n ^ k) /\
  (forall n, (first <= n)%nat ->
    Rabs (orbit g x0 n - root m (al / INR n) * (1 - l1 * ln (INR n) / INR n)) <= B / (INR n * root m (INR n))).
Proof.
apply (two_terms g x0 r al rho K l1 B b W clo chi m k first last) with (prec := prec) (x0e := @starte) (re := @rangee)
  (ale := @alphae) (rhoe := @rhoe) (l1e := @l1e) (Ke := @Ke) (Be := @Be) (cloe := @cloe) (chie := @chie).
all: try exact g_in; try exact g_defect; try exact g_ge; try exact g_domain; try exact computed; try reflexivity.
all: rewrite ?Rabs_rho, ?INR_last; unfold first, last, r, al, rho, l1, K, B, b, W, clo, chi, m, k; try lia.
all: cbn [root]; unfold Rpower; simpl INR; first [lra | field | interval with (i_prec 60)].
Qed.

(** Every node of the map inside its real domain at every layer: what Coq's total functions are outside plays no part. *)
Theorem domain n : dom ge (orbit g x0 n) (INR n).
Proof. exact (proj1 all n). Qed.
(** The constant of Abel's function. *)
Theorem constant : exists C, @clo <= C <= @chi /\
  forall n, (@last <= n)%nat ->
    Rabs (@alpha / orbit g x0 n ^ @m + @rho * ln (orbit g x0 n) - INR n - C) <= @K * orbit g x0 n ^ @k.
Proof. exact (proj1 (proj2 all)). Qed.
(** The law. *)
Theorem law : forall n, (@first <= n)%nat ->
  Rabs (orbit (fun x => @map) @start n - @root_al * (1 - @l1 * ln (INR n) / INR n)) <= @B / (INR n * @root_n).
Proof. exact (proj2 (proj2 all)). Qed.
Definition theorems := (domain, constant, law).
Print Assumptions theorems.
