(** x_0 = (1/2), x_(n+1) = f x_n, f x = G (x^(1/1)), G x = x - (x ^ 2): the law of x_n, with a constant, for every layer.
    Written by asympt from a proof object. Nothing that wrote it is trusted: coqc checks it. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
Require Import ParabolicLemmas Bounds Ladder TwoTerm Finite Law.
Import IT.
Open Scope R_scope.

Definition q := 1%nat.
Definition G (x : R) : R := x - (x ^ 2).
Definition f (x : R) : R := G (root q x).
Definition g (t : R) : R := root q (G t).

(** The numbers of the proof. A t = al / t^m + rho log t, error K t^k, on (0, r]; G increases on (0, T]; the starts are layer
    off; steps: so many layers on, the last one is computed. *)
Definition m := 1%nat.
Definition k := 1%nat.
Definition J := 2%nat.
Definition first := 2%nat.
Definition steps := 150%nat.
Definition off := 0%nat.
Definition lo : R := (1/2).
Definition hi : R := (1/2).
Definition r : R := (39/2500).
Definition T : R := (1/2).
Definition al : R := 1.
Definition rho : R := 1.
Definition l1 : R := 1.
Definition K : R := (5417/10000).
Definition B : R := (181709/100000).
Definition b : R := (908544091/500000000).
Definition W : R := (455187/10000000).
Definition clo : R := (220167/125000).
Definition chi : R := (221031/125000).
Definition y0 : R := (9/500).
Definition tlo : R := 0.
Definition thi : R := 0.

(** Side conditions of derivatives: a node's argument inside its domain; equal fractions. *)
Ltac inside := repeat split; first [exact Logic.I | exact PI_neq0 | lra | interval with (i_prec 40) |
  apply Rgt_not_eq; first [lra | interval with (i_prec 40)] | apply Rlt_not_eq; first [lra | interval with (i_prec 40)]].
Ltac same := unfold Rminus, Rdiv in *; cbn [pow] in *; field; inside.

(** G and its derivatives. *)
Definition d0 (x : R) : R := x*(1 - x).
Definition d1 (x : R) : R := 1 - 2*x.
Definition d2 (x : R) : R := -2.
Definition d3 (x : R) : R := 0.
Definition d4 (x : R) : R := 0.
Definition d (j : nat) : R -> R := match j with 0 => d0 | 1 => d1 | 2 => d2 | 3 => d3 | _ => d4 end%nat.
Lemma d_map x : 0 <= x <= T -> G x = d0 x.
Proof. unfold T, G, d0; intros h. same. Qed.
Lemma slope x : 0 <= x <= T -> is_derive G x (d1 x).
Proof. unfold T, G, d1; intros h. auto_derive; [inside | same]. Qed.
Lemma rungs : ladder d 4 r.
Proof.
unfold r; intros j x hj hx. do 4 (destruct j as [|j]; [cbn [d]; unfold d0, d1, d2, d3, d4; auto_derive; [inside | same]|]). lia.
Qed.
Lemma top x : 0 <= x <= r -> tlo <= d 4 x <= thi.
Proof. cbn [d]. unfold r, d4, tlo, thi; intros h. split; first [lra | interval with (i_prec 60, i_bisect x, i_depth 20)]. Qed.

(** Their values at 0. *)
Lemma at0 : d0 0 = 0. Proof. unfold d0; field; repeat split; first [lra | exact PI_neq0]. Qed.
Lemma at1 : d1 0 = 1. Proof. unfold d1; field; repeat split; first [lra | exact PI_neq0]. Qed.
Lemma at2 : d2 0 = -2. Proof. unfold d2; field; repeat split; first [lra | exact PI_neq0]. Qed.
Lemma at3 : d3 0 = 0. Proof. unfold d3; field; repeat split; first [lra | exact PI_neq0]. Qed.
(** G increases. *)
Lemma rises x : 0 <= x <= T -> 0 <= d1 x.
Proof.
intros h. unfold T in h; unfold d1. interval with (i_prec 60, i_bisect x, i_depth 20).
Qed.
(** Taylor's formula at 0. *)
Lemma g_series t : 0 < t <= r -> exists th, tlo <= th <= thi /\ G t = t*(1 - t).
Proof.
intros h. destruct (taylor_ladder d 4 tlo thi r rungs top t h) as [th [h1 h2]]. exists th. split; [exact h1|].
rewrite (d_map t) by (unfold r, T in *; lra). change (d0 t) with (d 0 t). rewrite h2. cbn [taylor d]. factorials. rewrite at0, at1, at2, at3.
try replace th with 0 by (unfold tlo, thi in h1; lra). clear; field; repeat split; exact PI_neq0.
Qed.

Lemma f_up x y : 0 < x -> x <= y -> y <= T ^ q -> f x <= f y.
Proof. apply (root_up G d1); [unfold q; lia | unfold T; lra | exact slope | exact rises]. Qed.

(** G t = t^q (1 - t^m v(t, theta)). *)
Definition v (t th : R) : R := 1.
Lemma g_taylor t : 0 < t <= r -> exists th, tlo <= th <= thi /\ G t = pw q t * (1 - t ^ m * v t th).
Proof.
intros h. destruct (g_series t h) as [th [h1 ->]]. exists th. split; [exact h1|]. clear. unfold q, v, m. cbn [pw].
field; repeat split; exact PI_neq0.
Qed.
Lemma v_in t th : 0 < t <= r -> tlo <= th <= thi -> 0 <= t ^ m * v t th <= y0.
Proof. unfold r, tlo, thi, y0, v, m; intros. split; interval with (i_prec 60, i_bisect t, i_depth 20). Qed.

(** The defect begins with t^(k+m): what is left of it is P. *)
Definition P (t th ph ps : R) : R := (t*(2*ph*t - 2*ph + 1) + 1) / (2).
Lemma defect_is t th ph ps : defect_top v al rho m J t th ph = t ^ (k + m) * P t th ph ps.
Proof. unfold defect_top, root_top, P, v, al, rho, m, k, J. simpl geo. simpl lnp. cbv [Nat.add]. field; repeat split; exact PI_neq0. Qed.
Lemma P_in t th ph ps : 0 < t <= r -> tlo <= th <= thi -> 0 <= ph <= (500/1473) -> 0 <= ps <= (62500000/973242271) ->
  0 <= room v K m k t th + P t th ph ps /\ 0 <= room v K m k t th - P t th ph ps.
Proof.
unfold r, tlo, thi; intros. unfold room, root_room, P, v, K, m, k. simpl geo.
split; interval with (i_prec 60, i_bisect t, i_bisect ph, i_bisect th, i_bisect ps, i_depth 25).
Qed.
Lemma defect_le t th ph ps : 0 < t <= r -> tlo <= th <= thi -> 0 <= ph <= / (INR (S J) * (1 - y0)) ->
  0 <= ps <= / (2 * (2 - y0) ^ 3) -> Rabs (defect_top v al rho m J t th ph) <= t ^ (k + m) * room v K m k t th.
Proof.
intros h1 h2 [h3 h4] [h6 h7].
assert (h5 : ph <= (500/1473)) by (eapply Rle_trans; [exact h4|]; unfold J, y0; simpl INR; right; field).
assert (h8 : ps <= (62500000/973242271)) by (eapply Rle_trans; [exact h7|]; unfold y0; right; field).
destruct (P_in t th ph ps h1 h2 (conj h3 h5) (conj h6 h8)). pose proof (pow_le t (k + m) ltac:(lra)).
rewrite (defect_is t th ph ps), Rabs_mult, Rabs_pos_eq by assumption. apply Rmult_le_compat_l; [assumption|]. apply Rabs_le; split; lra.
Qed.
Lemma K_pos : 0 <= K. Proof. unfold K; lra. Qed.
Lemma y0_lt : y0 < 1. Proof. unfold y0; lra. Qed.
Lemma zero_ps : 0 <= 0 <= / (2 * (2 - y0) ^ 3).
Proof. split; [lra|]. left. apply Rinv_0_lt_compat, Rmult_lt_0_compat; [lra | apply pow_lt; unfold y0; lra]. Qed.
Lemma g_in t : 0 < t <= r -> 0 < g t <= r /\ 0 < G t.
Proof. intros h. pose proof (map_in G v r y0 tlo thi m y0_lt g_taylor v_in t h). unfold g, q; cbn [root]; lra. Qed.
Lemma g_defect t : 0 < t <= r -> Rabs (Aab al rho m (g t) - Aab al rho m t - 1) <= K * t ^ k - K * g t ^ k.
Proof. exact (defect G v r al rho K y0 tlo thi m k J y0_lt g_taylor v_in (fun t th ph a b c => defect_le t th ph 0 a b c zero_ps) t). Qed.

(** The first layers by reflection: domains, the law from layer `first` on, the constant at the last layer. *)
Definition ge : ex := (Sub X (Pow X 2)).
Definition fe : ex := subst ge (roote q X).
Lemma G_ge x n : G x = evR ge x n. Proof. reflexivity. Qed.
Definition prec : SFZ.precision := 64%Z.
Definition each : ex := gap q m (Cst 1) (Cst 1) (Div (Cst 181709) (Cst 100000)).
Definition ends : list ex := at_last q m k (Cst 1) (Cst 1) (Div (Cst 5417) (Cst 10000)) (Div (Cst 220167) (Cst 125000)) (Div (Cst 221031) (Cst 125000)) (Div (Cst 39) (Cst 2500)).
Lemma computed : run prec fe each (Pow (Div (Cst 1) (Cst 2)) q) ends (Z.of_nat first)
  (lowpt (evI prec (Div (Cst 1) (Cst 2)) I.zero I.zero)) (uppt (evI prec (Div (Cst 1) (Cst 2)) I.zero I.zero)) (Z.of_nat off) steps = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Lemma computed_domain : dom_on prec ge (Div (Cst 39) (Cst 2500)) 64 64 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

(** Every node of the map inside its real domain on all of (0, r]. *)
Theorem g_domain x i : 0 < x <= r -> dom ge x i.
Proof.
intros h. assert (d0 : dom ge x 0); [|revert d0; cbn [dom ge evR]; tauto].
apply (dom_on_correct prec ge (Div (Cst 39) (Cst 2500)) 64 x r); [reflexivity | unfold r; lra | lia | exact computed_domain | lra].
Qed.

Lemma INR_last : INR (steps + off) = 150. Proof. unfold steps, off. rewrite INR_IZR_INZ. reflexivity. Qed.
Lemma Rabs_rho : Rabs rho = 1. Proof. unfold rho. first [apply Rabs_pos_eq; lra | rewrite Rabs_left; lra]. Qed.
Lemma all x0 : lo <= x0 <= hi -> (forall n, dom fe (orbit f x0 n) (INR (n + off))) /\
  (exists C, clo <= C <= chi /\ forall n, (steps + off <= n)%nat ->
    Rabs (Aab al rho m (root q (orbit f x0 (n - off))) - INR n - C) <= K * root q (orbit f x0 (n - off)) ^ k) /\
  (forall n, (first <= n)%nat ->
    Rabs (orbit f x0 (n - off) - pw q (root m (al / INR n)) * (1 - l1 * ln (INR n) / INR n)) <= B / (INR n * pw q (root m (INR n)))).
Proof.
intros h. apply (two_terms G r al rho K l1 B b W clo chi (T ^ q) q m k first steps off) with (prec := prec) (loe := (Div (Cst 1) (Cst 2)))
  (hie := (Div (Cst 1) (Cst 2))) (tope := Pow (Div (Cst 1) (Cst 2)) q) (re := (Div (Cst 39) (Cst 2500))) (ale := (Cst 1)) (rhoe := (Cst 1)) (l1e := (Cst 1)) (Ke := (Div (Cst 5417) (Cst 10000))) (Be := (Div (Cst 181709) (Cst 100000)))
  (cloe := (Div (Cst 220167) (Cst 125000))) (chie := (Div (Cst 221031) (Cst 125000))).
all: try exact G_ge; try exact g_defect; try exact f_up; try exact g_domain; try exact computed; try exact h; try reflexivity.
all: try (intros t0 h0; apply (g_in t0 h0)).
all: rewrite ?Rabs_rho, ?INR_last; unfold first, steps, off, r, al, rho, l1, K, B, b, W, clo, chi, m, k, q; try lia.
all: cbn [root]; unfold Rpower; simpl INR; cbn [pow]; first [lra | field | interval with (i_prec 60)].
Qed.

(** Every node of the map inside its real domain at every layer: what Coq's total functions are outside plays no part. *)
Theorem domain : forall n, dom fe (orbit f (1/2) n) (INR (n + off)).
Proof.  destruct (all (1/2) ltac:(unfold lo, hi; lra)) as [h _]. exact h. Qed.
(** The constant of Abel's function. *)
Theorem constant : exists C, (220167/125000) <= C <= (221031/125000) /\
  forall n, (150 <= n)%nat -> let t := (orbit f (1/2) n) in
    Rabs (1 / t ^ 1 + 1 * ln t - INR n - C) <= (5417/10000) * t ^ 1.
Proof.
 destruct (all (1/2) ltac:(unfold lo, hi; lra)) as [_ [[C [hC h]] _]]. exists C. split; [exact hC|].
intros n hn. specialize (h n hn). unfold off in h. rewrite ?Nat.sub_0_r in h. exact h.
Qed.
(** The law. *)
Theorem law : forall n, (2 <= n)%nat ->
  Rabs (orbit (fun x => (x) - ((x) ^ 2)) (1/2) n - (1 / INR n) * (1 - 1 * ln (INR n) / INR n)) <= (181709/100000) / (INR n * (INR n)).
Proof.
 destruct (all (1/2) ltac:(unfold lo, hi; lra)) as [_ [_ h]].
intros n hn. specialize (h n hn). unfold off in h. rewrite ?Nat.sub_0_r in h. exact h.
Qed.
Definition theorems := (g_domain, domain, constant, law).
Print Assumptions theorems.
