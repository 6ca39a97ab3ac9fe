(** x_0 = 1, x_(n+1) = f x_n, f x = G (x^(1/1)), G x = sin x: the law of x_n, with a constant, for every layer.
    Written by asympt from a proof object. Nothing that wrote it is trusted: coqc checks it. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
Require Import ParabolicLemmas Bounds Ladder TwoTerm Finite Law.
Import IT.
Open Scope R_scope.

Definition q := 1%nat.
Definition G (x : R) : R := sin x.
Definition f (x : R) : R := G (root q x).
Definition g (t : R) : R := root q (G t).

(** The numbers of the proof. A t = al / t^m + rho log t, error K t^k, on (0, r]; G increases on (0, T]; the starts are layer
    off; steps: so many layers on, the last one is computed. *)
Definition m := 2%nat.
Definition k := 2%nat.
Definition J := 2%nat.
Definition first := 2%nat.
Definition steps := 100%nat.
Definition off := 0%nat.
Definition lo : R := 1.
Definition hi : R := 1.
Definition r : R := (433/2000).
Definition T : R := (1001/1000).
Definition al : R := 3.
Definition rho : R := (6/5).
Definition l1 : R := (3/10).
Definition K : R := (4019/50000).
Definition B : R := (106837/50000).
Definition b : R := (61682309/50000000).
Definition W : R := (261523/10000000).
Definition clo : R := (123407/40000).
Definition chi : R := (1544881/500000).
Definition y0 : R := (1/100).
Definition tlo : R := (-1001/1000).
Definition thi : R := (-9761/10000).

(** Side conditions of derivatives: a node's argument inside its domain; equal fractions. *)
Ltac inside := repeat split; first [exact Logic.I | exact PI_neq0 | lra | interval with (i_prec 40) |
  apply Rgt_not_eq; first [lra | interval with (i_prec 40)] | apply Rlt_not_eq; first [lra | interval with (i_prec 40)]].
Ltac same := unfold Rminus, Rdiv in *; cbn [pow] in *; field; inside.

(** G and its derivatives. *)
Definition d0 (x : R) : R := (sin x).
Definition d1 (x : R) : R := (cos x).
Definition d2 (x : R) : R := -(sin x).
Definition d3 (x : R) : R := -(cos x).
Definition d4 (x : R) : R := (sin x).
Definition d5 (x : R) : R := (cos x).
Definition d6 (x : R) : R := -(sin x).
Definition d7 (x : R) : R := -(cos x).
Definition d (j : nat) : R -> R := match j with 0 => d0 | 1 => d1 | 2 => d2 | 3 => d3 | 4 => d4 | 5 => d5 | 6 => d6 | _ => d7 end%nat.
Lemma d_map x : 0 <= x <= T -> G x = d0 x.
Proof. unfold T, G, d0; intros h. same. Qed.
Lemma slope x : 0 <= x <= T -> is_derive G x (d1 x).
Proof. unfold T, G, d1; intros h. auto_derive; [inside | same]. Qed.
Lemma rungs : ladder d 7 r.
Proof.
unfold r; intros j x hj hx. do 7 (destruct j as [|j]; [cbn [d]; unfold d0, d1, d2, d3, d4, d5, d6, d7; auto_derive; [inside | same]|]). lia.
Qed.
Lemma top x : 0 <= x <= r -> tlo <= d 7 x <= thi.
Proof. cbn [d]. unfold r, d7, tlo, thi; intros h. split; first [lra | interval with (i_prec 60, i_bisect x, i_depth 20)]. Qed.

(** Their values at 0. *)
Lemma atom0 : (sin 0) = 0. Proof. match goal with |- _ ?a = _ => replace a with 0 end; [exact sin_0 | field]. Qed.
Lemma atom1 : (cos 0) = 1. Proof. match goal with |- _ ?a = _ => replace a with 0 end; [exact cos_0 | rewrite ?atom0; field]. Qed.
Lemma at0 : d0 0 = 0. Proof. unfold d0; rewrite ?atom1; rewrite ?atom0; field; repeat split; first [lra | exact PI_neq0]. Qed.
Lemma at1 : d1 0 = 1. Proof. unfold d1; rewrite ?atom1; rewrite ?atom0; field; repeat split; first [lra | exact PI_neq0]. Qed.
Lemma at2 : d2 0 = 0. Proof. unfold d2; rewrite ?atom1; rewrite ?atom0; field; repeat split; first [lra | exact PI_neq0]. Qed.
Lemma at3 : d3 0 = -1. Proof. unfold d3; rewrite ?atom1; rewrite ?atom0; field; repeat split; first [lra | exact PI_neq0]. Qed.
Lemma at4 : d4 0 = 0. Proof. unfold d4; rewrite ?atom1; rewrite ?atom0; field; repeat split; first [lra | exact PI_neq0]. Qed.
Lemma at5 : d5 0 = 1. Proof. unfold d5; rewrite ?atom1; rewrite ?atom0; field; repeat split; first [lra | exact PI_neq0]. Qed.
Lemma at6 : d6 0 = 0. Proof. unfold d6; rewrite ?atom1; rewrite ?atom0; field; repeat split; first [lra | exact PI_neq0]. Qed.
(** G increases. *)
Lemma rises x : 0 <= x <= T -> 0 <= d1 x.
Proof.
intros h. unfold T in h; unfold d1. interval with (i_prec 60, i_bisect x, i_depth 20).
Qed.
(** Taylor's formula at 0. *)
Lemma g_series t : 0 < t <= r -> exists th, tlo <= th <= thi /\ G t = (t*(t^6*th + 42*t^4 - 840*t^2 + 5040)) / (5040).
Proof.
intros h. destruct (taylor_ladder d 7 tlo thi r rungs top t h) as [th [h1 h2]]. exists th. split; [exact h1|].
rewrite (d_map t) by (unfold r, T in *; lra). change (d0 t) with (d 0 t). rewrite h2. cbn [taylor d]. factorials. rewrite at0, at1, at2, at3, at4, at5, at6.
try replace th with 0 by (unfold tlo, thi in h1; lra). clear; field; repeat split; exact PI_neq0.
Qed.

Lemma f_up x y : 0 < x -> x <= y -> y <= T ^ q -> f x <= f y.
Proof. apply (root_up G d1); [unfold q; lia | unfold T; lra | exact slope | exact rises]. Qed.

(** G t = t^q (1 - t^m v(t, theta)). *)
Definition v (t th : R) : R := (-t^4*th - 42*t^2 + 840) / (5040).
Lemma g_taylor t : 0 < t <= r -> exists th, tlo <= th <= thi /\ G t = pw q t * (1 - t ^ m * v t th).
Proof.
intros h. destruct (g_series t h) as [th [h1 ->]]. exists th. split; [exact h1|]. clear. unfold q, v, m. cbn [pw].
field; repeat split; exact PI_neq0.
Qed.
Lemma v_in t th : 0 < t <= r -> tlo <= th <= thi -> 0 <= t ^ m * v t th <= y0.
Proof. unfold r, tlo, thi, y0, v, m; intros. split; interval with (i_prec 60, i_bisect t, i_depth 20). Qed.

(** The defect begins with t^(k+m): what is left of it is P. *)
Definition P (t th ph ps : R) : R := (t^2*(-15055629926400000*ph + t^2*(7276887797760000*ph + t^2*(53770106880000*ph*th - 1534837828608000*ph + t^2*(-29274835968000*ph*th + 181713088972800*ph + t^2*(-64012032000*ph*th^2 + 6208455859200*ph*th - 12964570214400*ph + t^2*(45875289600*ph*th^2 - 677105049600*ph*th + 554130823680*ph + t^2*(25401600*ph*th^3 - 10194508800*ph*th^2 + 40327580160*ph*th - 13069123200*ph + t^2*(-33868800*ph*th^3 + 995742720*ph*th^2 - 1244678400*ph*th + 130691232*ph + t^2*th*(8749440*ph*th^2 - 44452800*ph*th + 15558480*ph + t^2*th*(ph*t^2*th*(t^2*th*(t^2*th + 210) - 4200*th + 17640) + 10080*ph*th^2 - 705600*ph*th + 740880*ph - 2520*th^2) - 423360*th^2) + 8467200*th^3 - 26671680*th^2) + 1066867200*th^2 - 746807040*th) - 10668672000*th^2 + 44808422400*th - 7841473920) - 896168448000*th + 627317913600) + 85349376000*th^2 + 5974456320000*th - 18819537408000) - 320060160000*th^2 + 7169347584000*th + 250927165440000) - 170272005120000*th - 1104079527936000) + 107540213760000*th - 6586838092800000) - 3226206412800000*th + 64739208683520000) / (2710013386752000000).
Lemma defect_is t th ph ps : defect_top v al rho m J t th ph = t ^ (k + m) * P t th ph ps.
Proof. unfold defect_top, root_top, P, v, al, rho, m, k, J. simpl geo. simpl lnp. cbv [Nat.add]. field; repeat split; exact PI_neq0. Qed.
Lemma P_in t th ph ps : 0 < t <= r -> tlo <= th <= thi -> 0 <= ph <= (100/297) -> 0 <= ps <= (500000/7880599) ->
  0 <= room v K m k t th + P t th ph ps /\ 0 <= room v K m k t th - P t th ph ps.
Proof.
unfold r, tlo, thi; intros. unfold room, root_room, P, v, K, m, k. simpl geo.
split; interval with (i_prec 60, i_bisect t, i_bisect ph, i_bisect th, i_bisect ps, i_depth 25).
Qed.
Lemma defect_le t th ph ps : 0 < t <= r -> tlo <= th <= thi -> 0 <= ph <= / (INR (S J) * (1 - y0)) ->
  0 <= ps <= / (2 * (2 - y0) ^ 3) -> Rabs (defect_top v al rho m J t th ph) <= t ^ (k + m) * room v K m k t th.
Proof.
intros h1 h2 [h3 h4] [h6 h7].
assert (h5 : ph <= (100/297)) by (eapply Rle_trans; [exact h4|]; unfold J, y0; simpl INR; right; field).
assert (h8 : ps <= (500000/7880599)) by (eapply Rle_trans; [exact h7|]; unfold y0; right; field).
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
Definition ge : ex := (Sin X).
Definition fe : ex := subst ge (roote q X).
Lemma G_ge x n : G x = evR ge x n. Proof. reflexivity. Qed.
Definition prec : SFZ.precision := 64%Z.
Definition each : ex := gap q m (Cst 3) (Div (Cst 3) (Cst 10)) (Div (Cst 106837) (Cst 50000)).
Definition ends : list ex := at_last q m k (Cst 3) (Div (Cst 6) (Cst 5)) (Div (Cst 4019) (Cst 50000)) (Div (Cst 123407) (Cst 40000)) (Div (Cst 1544881) (Cst 500000)) (Div (Cst 433) (Cst 2000)).
Lemma computed : run prec fe each (Pow (Div (Cst 1001) (Cst 1000)) q) ends (Z.of_nat first)
  (lowpt (evI prec (Cst 1) I.zero I.zero)) (uppt (evI prec (Cst 1) I.zero I.zero)) (Z.of_nat off) steps = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Lemma computed_domain : dom_on prec ge (Div (Cst 433) (Cst 2000)) 64 64 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

(** Every node of the map inside its real domain on all of (0, r]. *)
Theorem g_domain x i : 0 < x <= r -> dom ge x i.
Proof.
intros h. assert (d0 : dom ge x 0); [|revert d0; cbn [dom ge evR]; tauto].
apply (dom_on_correct prec ge (Div (Cst 433) (Cst 2000)) 64 x r); [reflexivity | unfold r; lra | lia | exact computed_domain | lra].
Qed.

Lemma INR_last : INR (steps + off) = 100. Proof. unfold steps, off. rewrite INR_IZR_INZ. reflexivity. Qed.
Lemma Rabs_rho : Rabs rho = (6/5). Proof. unfold rho. first [apply Rabs_pos_eq; lra | rewrite Rabs_left; lra]. Qed.
Lemma all x0 : lo <= x0 <= hi -> (forall n, dom fe (orbit f x0 n) (INR (n + off))) /\
  (exists C, clo <= C <= chi /\ forall n, (steps + off <= n)%nat ->
    Rabs (Aab al rho m (root q (orbit f x0 (n - off))) - INR n - C) <= K * root q (orbit f x0 (n - off)) ^ k) /\
  (forall n, (first <= n)%nat ->
    Rabs (orbit f x0 (n - off) - pw q (root m (al / INR n)) * (1 - l1 * ln (INR n) / INR n)) <= B / (INR n * pw q (root m (INR n)))).
Proof.
intros h. apply (two_terms G r al rho K l1 B b W clo chi (T ^ q) q m k first steps off) with (prec := prec) (loe := (Cst 1))
  (hie := (Cst 1)) (tope := Pow (Div (Cst 1001) (Cst 1000)) q) (re := (Div (Cst 433) (Cst 2000))) (ale := (Cst 3)) (rhoe := (Div (Cst 6) (Cst 5))) (l1e := (Div (Cst 3) (Cst 10))) (Ke := (Div (Cst 4019) (Cst 50000))) (Be := (Div (Cst 106837) (Cst 50000)))
  (cloe := (Div (Cst 123407) (Cst 40000))) (chie := (Div (Cst 1544881) (Cst 500000))).
all: try exact G_ge; try exact g_defect; try exact f_up; try exact g_domain; try exact computed; try exact h; try reflexivity.
all: try (intros t0 h0; apply (g_in t0 h0)).
all: rewrite ?Rabs_rho, ?INR_last; unfold first, steps, off, r, al, rho, l1, K, B, b, W, clo, chi, m, k, q; try lia.
all: cbn [root]; unfold Rpower; simpl INR; cbn [pow]; first [lra | field | interval with (i_prec 60)].
Qed.

(** Every node of the map inside its real domain at every layer: what Coq's total functions are outside plays no part. *)
Theorem domain : forall n, dom fe (orbit f 1 n) (INR (n + off)).
Proof.  destruct (all 1 ltac:(unfold lo, hi; lra)) as [h _]. exact h. Qed.
(** The constant of Abel's function. *)
Theorem constant : exists C, (123407/40000) <= C <= (1544881/500000) /\
  forall n, (100 <= n)%nat -> let t := (orbit f 1 n) in
    Rabs (3 / t ^ 2 + (6/5) * ln t - INR n - C) <= (4019/50000) * t ^ 2.
Proof.
 destruct (all 1 ltac:(unfold lo, hi; lra)) as [_ [[C [hC h]] _]]. exists C. split; [exact hC|].
intros n hn. specialize (h n hn). unfold off in h. rewrite ?Nat.sub_0_r in h. exact h.
Qed.
(** The law. *)
Theorem law : forall n, (2 <= n)%nat ->
  Rabs (orbit (fun x => sin (x)) 1 n - sqrt (3 / INR n) * (1 - (3/10) * ln (INR n) / INR n)) <= (106837/50000) / (INR n * sqrt (INR n)).
Proof.
 destruct (all 1 ltac:(unfold lo, hi; lra)) as [_ [_ h]].
intros n hn. specialize (h n hn). unfold off in h. rewrite ?Nat.sub_0_r in h. exact h.
Qed.
Definition theorems := (g_domain, domain, constant, law).
Print Assumptions theorems.
