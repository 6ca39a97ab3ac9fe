(** x_0 = 1, x_(n+1) = g x_n, g x = sin x: the law of x_n, with a constant, for every layer.
    Written by asympt from a proof object. Nothing that wrote it is trusted: coqc checks it. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
Require Import ParabolicLemmas Bounds Ladder TwoTerm Finite Law.
Import IT.
Open Scope R_scope.

Definition g (x : R) : R := sin x.
Definition x0 : R := 1.

(** The numbers of the proof. A t = al / t^m + rho log t, error K t^k, on (0, r]; last: the last layer that is computed. *)
Definition m := 2%nat.
Definition k := 2%nat.
Definition J := 2%nat.
Definition first := 2%nat.
Definition last := 100%nat.
Definition r : R := (433/2000).
Definition al : R := 3.
Definition rho : R := (6/5).
Definition l1 : R := (3/10).
Definition K : R := (801/10000).
Definition B : R := (106837/50000).
Definition b : R := (1233647414187/1000000000000).
Definition W : R := (3269/125000).
Definition clo : R := (3085183/1000000).
Definition chi : R := (1544877/500000).
Definition y0 : R := (9/1000).
Definition tlo : R := (-1001/1000).
Definition thi : R := (-9761/10000).

(** Side conditions of derivatives: a node's argument inside its domain. *)
Ltac inside := repeat split; first [exact Logic.I | lra | interval with (i_prec 40) |
  apply Rgt_not_eq; first [lra | interval with (i_prec 40)] | apply Rlt_not_eq; first [lra | interval with (i_prec 40)]].

(** g and its derivatives. *)
Definition d0 (x : R) : R := (sin x).
Definition d1 (x : R) : R := (cos x).
Definition d2 (x : R) : R := -(sin x).
Definition d3 (x : R) : R := -(cos x).
Definition d4 (x : R) : R := (sin x).
Definition d5 (x : R) : R := (cos x).
Definition d6 (x : R) : R := -(sin x).
Definition d7 (x : R) : R := -(cos x).
Definition d (j : nat) : R -> R := match j with 0 => d0 | 1 => d1 | 2 => d2 | 3 => d3 | 4 => d4 | 5 => d5 | 6 => d6 | _ => d7 end%nat.
Lemma d_map x : 0 <= x <= r -> g x = d0 x.
Proof. unfold r, g, d0; intros h. field; inside. Qed.
Lemma rungs : ladder d 7 r.
Proof.
unfold r; intros j x hj hx. do 7 (destruct j as [|j]; [cbn [d]; unfold d0, d1, d2, d3, d4, d5, d6, d7; auto_derive; [inside | field; inside]|]). lia.
Qed.
Lemma top x : 0 <= x <= r -> tlo <= d 7 x <= thi.
Proof. cbn [d]. unfold r, d7, tlo, thi; intros h. split; first [lra | interval with (i_prec 40, i_bisect x, i_depth 20)]. Qed.

(** Their values at 0. *)
Lemma atom0 : (sin 0) = 0. Proof. match goal with |- _ ?a = _ => replace a with 0 end; [exact sin_0 | field]. Qed.
Lemma atom1 : (cos 0) = 1. Proof. match goal with |- _ ?a = _ => replace a with 0 end; [exact cos_0 | rewrite ?atom0; field]. Qed.
Lemma at0 : d0 0 = 0. Proof. unfold d0; rewrite ?atom1; rewrite ?atom0; field; lra. Qed.
Lemma at1 : d1 0 = 1. Proof. unfold d1; rewrite ?atom1; rewrite ?atom0; field; lra. Qed.
Lemma at2 : d2 0 = 0. Proof. unfold d2; rewrite ?atom1; rewrite ?atom0; field; lra. Qed.
Lemma at3 : d3 0 = (-1). Proof. unfold d3; rewrite ?atom1; rewrite ?atom0; field; lra. Qed.
Lemma at4 : d4 0 = 0. Proof. unfold d4; rewrite ?atom1; rewrite ?atom0; field; lra. Qed.
Lemma at5 : d5 0 = 1. Proof. unfold d5; rewrite ?atom1; rewrite ?atom0; field; lra. Qed.
Lemma at6 : d6 0 = 0. Proof. unfold d6; rewrite ?atom1; rewrite ?atom0; field; lra. Qed.
(** g t = t (1 - t^m v(t, theta)). *)
Definition v (t th : R) : R := (-t^4*th - 42*t^2 + 840) / (5040).
Lemma g_taylor t : 0 < t <= r -> exists th, tlo <= th <= thi /\ g t = t * (1 - t ^ m * v t th).
Proof.
intros h. destruct (taylor_ladder d 7 tlo thi r rungs top t h) as [th [h1 h2]]. exists th. split; [exact h1|].
rewrite (d_map t) by lra. change (d0 t) with (d 0 t). rewrite h2. cbn [taylor d]. factorials. rewrite at0, at1, at2, at3, at4, at5, at6. unfold v, m.
try replace th with 0 by (unfold tlo, thi in h1; lra). clear; field.
Qed.
Lemma v_in t th : 0 < t <= r -> tlo <= th <= thi -> 0 <= t ^ m * v t th <= y0.
Proof. unfold r, tlo, thi, y0, v, m; intros. split; interval with (i_prec 40, i_bisect t, i_depth 20). Qed.

(** The defect begins with t^(k+m): what is left of it is P. *)
Definition P (t th ph : R) : R := (t^2*(-15055629926400000*ph + t^2*(7276887797760000*ph + t^2*(53770106880000*ph*th - 1534837828608000*ph + t^2*(-29274835968000*ph*th + 181713088972800*ph + t^2*(-64012032000*ph*th^2 + 6208455859200*ph*th - 12964570214400*ph + t^2*(45875289600*ph*th^2 - 677105049600*ph*th + 554130823680*ph + t^2*(25401600*ph*th^3 - 10194508800*ph*th^2 + 40327580160*ph*th - 13069123200*ph + t^2*(-33868800*ph*th^3 + 995742720*ph*th^2 - 1244678400*ph*th + 130691232*ph + t^2*th*(8749440*ph*th^2 - 44452800*ph*th + 15558480*ph + t^2*th*(ph*t^2*th*(t^2*th*(t^2*th + 210) - 4200*th + 17640) + 10080*ph*th^2 - 705600*ph*th + 740880*ph - 2520*th^2) - 423360*th^2) + 8467200*th^3 - 26671680*th^2) + 1066867200*th^2 - 746807040*th) - 10668672000*th^2 + 44808422400*th - 7841473920) - 896168448000*th + 627317913600) + 85349376000*th^2 + 5974456320000*th - 18819537408000) - 320060160000*th^2 + 7169347584000*th + 250927165440000) - 170272005120000*th - 1104079527936000) + 107540213760000*th - 6586838092800000) - 3226206412800000*th + 64739208683520000) / (2710013386752000000).
Lemma defect_is t th ph : defect_top v al rho m J t th ph = t ^ (k + m) * P t th ph.
Proof. unfold defect_top, P, v, al, rho, m, k, J. simpl geo. simpl lnp. cbv [Nat.add]. field. Qed.
Lemma P_in t th ph : 0 < t <= r -> tlo <= th <= thi -> 0 <= ph <= (1000/2973) ->
  0 <= room v K m k t th + P t th ph /\ 0 <= room v K m k t th - P t th ph.
Proof.
unfold r, tlo, thi; intros. unfold room, P, v, K, m, k. simpl geo.
split; interval with (i_prec 40, i_bisect t, i_bisect ph, i_bisect th, i_depth 25).
Qed.
Lemma defect_le t th ph : 0 < t <= r -> tlo <= th <= thi -> 0 <= ph <= / (INR (S J) * (1 - y0)) ->
  Rabs (defect_top v al rho m J t th ph) <= t ^ (k + m) * room v K m k t th.
Proof.
intros h1 h2 [h3 h4]. assert (h5 : ph <= (1000/2973)) by (eapply Rle_trans; [exact h4|]; unfold J, y0; simpl INR; right; field).
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
Definition ge : ex := (Sin X).
Lemma g_ge x n : g x = evR ge x n. Proof. reflexivity. Qed.
Definition prec : SFZ.precision := 64%Z.
Definition each : ex := gap m (Cst 3) (Div (Cst 3) (Cst 10)) (Div (Cst 106837) (Cst 50000)).
Definition at_end : list ex := at_last m k (Cst 3) (Div (Cst 6) (Cst 5)) (Div (Cst 801) (Cst 10000)) (Div (Cst 3085183) (Cst 1000000)) (Div (Cst 1544877) (Cst 500000)) (Div (Cst 433) (Cst 2000)).
Lemma computed : run prec ge each at_end (Z.of_nat first) (evI prec (Cst 1) I.zero I.zero) 0 last = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Lemma computed_domain : dom_on prec ge (Div (Cst 433) (Cst 2000)) 64 64 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

(** Every node of the map inside its real domain on all of (0, r]. *)
Theorem g_domain x i : 0 < x <= r -> dom ge x i.
Proof.
intros h. assert (d0 : dom ge x 0); [|revert d0; cbn [dom ge evR]; tauto].
apply (dom_on_correct prec ge (Div (Cst 433) (Cst 2000)) 64 x r); [reflexivity | unfold r; lra | lia | exact computed_domain | lra].
Qed.

Lemma INR_last : INR last = 100. Proof. unfold last. rewrite INR_IZR_INZ. reflexivity. Qed.
Lemma Rabs_rho : Rabs rho = (6/5). Proof. unfold rho. first [apply Rabs_pos_eq; lra | rewrite Rabs_left; lra]. Qed.
Lemma all : (forall n, dom ge (orbit g x0 n) (INR n)) /\
  (exists C, clo <= C <= chi /\
    forall n, (last <= n)%nat -> Rabs (Aab al rho m (orbit g x0 n) - INR n - C) <= K * orbit g x0 n ^ k) /\
  (forall n, (first <= n)%nat ->
    Rabs (orbit g x0 n - root m (al / INR n) * (1 - l1 * ln (INR n) / INR n)) <= B / (INR n * root m (INR n))).
Proof.
apply (two_terms g x0 r al rho K l1 B b W clo chi m k first last) with (prec := prec) (x0e := (Cst 1)) (re := (Div (Cst 433) (Cst 2000)))
  (ale := (Cst 3)) (rhoe := (Div (Cst 6) (Cst 5))) (l1e := (Div (Cst 3) (Cst 10))) (Ke := (Div (Cst 801) (Cst 10000))) (Be := (Div (Cst 106837) (Cst 50000))) (cloe := (Div (Cst 3085183) (Cst 1000000))) (chie := (Div (Cst 1544877) (Cst 500000))).
all: try exact g_in; try exact g_defect; try exact g_ge; try exact g_domain; try exact computed; try reflexivity.
all: rewrite ?Rabs_rho, ?INR_last; unfold first, last, r, al, rho, l1, K, B, b, W, clo, chi, m, k; try lia.
all: cbn [root]; unfold Rpower; simpl INR; first [lra | field | interval with (i_prec 60)].
Qed.

(** Every node of the map inside its real domain at every layer: what Coq's total functions are outside plays no part. *)
Theorem domain n : dom ge (orbit g x0 n) (INR n).
Proof. exact (proj1 all n). Qed.
(** The constant of Abel's function. *)
Theorem constant : exists C, (3085183/1000000) <= C <= (1544877/500000) /\
  forall n, (100 <= n)%nat ->
    Rabs (3 / orbit g x0 n ^ 2 + (6/5) * ln (orbit g x0 n) - INR n - C) <= (801/10000) * orbit g x0 n ^ 2.
Proof. exact (proj1 (proj2 all)). Qed.
(** The law. *)
Theorem law : forall n, (2 <= n)%nat ->
  Rabs (orbit (fun x => sin x) 1 n - sqrt (3 / INR n) * (1 - (3/10) * ln (INR n) / INR n)) <= (106837/50000) / (INR n * sqrt (INR n)).
Proof. exact (proj2 (proj2 all)). Qed.
Definition theorems := (domain, constant, law).
Print Assumptions theorems.
