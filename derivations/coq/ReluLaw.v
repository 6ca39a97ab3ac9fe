(** x_1 = (9/20), x_(n+1) = f x_n, f x = G (x^(1/2)), G x = ((x ^ 2) + (((1 / PI) - ((2 * (x ^ 2)) / PI)) * (atan (x / (sqrt (1 - (x ^ 2))))))) - ((x * (sqrt (1 - (x ^ 2)))) / PI): the law of x_n, with a constant, for every layer.
    Written by asympt from a proof object. Nothing that wrote it is trusted: coqc checks it. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
Require Import ParabolicLemmas Bounds Ladder TwoTerm Finite Law.
Import IT.
Open Scope R_scope.

Definition q := 2%nat.
Definition G (x : R) : R := ((x ^ 2) + (((1 / PI) - ((2 * (x ^ 2)) / PI)) * (atan (x / (sqrt (1 - (x ^ 2))))))) - ((x * (sqrt (1 - (x ^ 2)))) / PI).
Definition f (x : R) : R := G (root q x).
Definition g (t : R) : R := root q (G t).

(** The numbers of the proof. A t = al / t^m + rho log t, error K t^k, on (0, r]; G increases on (0, T]; the starts are layer
    off; steps: so many layers on, the last one is computed. *)
Definition m := 1%nat.
Definition k := 1%nat.
Definition J := 2%nat.
Definition first := 2%nat.
Definition steps := 1249%nat.
Definition off := 1%nat.
Definition lo : R := (9/20).
Definition hi : R := (9/20).
Definition r : R := (46/625).
Definition T : R := (84/125).
Definition al : R := (3/2) * PI.
Definition rho : R := (3/2).
Definition l1 : R := 3.
Definition K : R := (8817/10000).
Definition B : R := (166049/1000).
Definition b : R := (1827222509/500000000).
Definition W : R := (14351/1250000).
Definition clo : R := (744227/125000).
Definition chi : R := (745049/125000).
Definition y0 : R := (17/500).
Definition tlo : R := (-2643/500).
Definition thi : R := (-5089/1000).

(** Side conditions of derivatives: a node's argument inside its domain; equal fractions. *)
Ltac inside := repeat split; first [exact Logic.I | exact PI_neq0 | lra | interval with (i_prec 40) |
  apply Rgt_not_eq; first [lra | interval with (i_prec 40)] | apply Rlt_not_eq; first [lra | interval with (i_prec 40)]].
Ltac same := unfold Rminus, Rdiv in *; cbn [pow] in *; field; inside.

(** G and its derivatives. *)
Definition d0 (x : R) : R := ((atan (x / (sqrt (1 - (x ^ 2)))))*(1 - 2*x^2) - (sqrt (1 - (x ^ 2)))*x + PI*x^2) / (PI).
Definition d1 (x : R) : R := (-4*(atan (x / (sqrt (1 - (x ^ 2)))))*(sqrt (1 - (x ^ 2)))*x - (sqrt (1 - (x ^ 2)))^2 + 2*(sqrt (1 - (x ^ 2)))*PI*x - x^2 + 1) / ((sqrt (1 - (x ^ 2)))*PI).
Definition d2 (x : R) : R := (-4*(atan (x / (sqrt (1 - (x ^ 2)))))*(sqrt (1 - (x ^ 2)))^3 + 2*(sqrt (1 - (x ^ 2)))^3*PI - 5*(sqrt (1 - (x ^ 2)))^2*x - x^3 + x) / ((sqrt (1 - (x ^ 2)))^3*PI).
Definition d3 (x : R) : R := (-9*(sqrt (1 - (x ^ 2)))^4 - 8*(sqrt (1 - (x ^ 2)))^2*x^2 + (sqrt (1 - (x ^ 2)))^2 - 3*x^4 + 3*x^2) / ((sqrt (1 - (x ^ 2)))^5*PI).
Definition d4 (x : R) : R := (-x*(25*(sqrt (1 - (x ^ 2)))^4 + 36*(sqrt (1 - (x ^ 2)))^2*x^2 - 9*(sqrt (1 - (x ^ 2)))^2 + 15*x^4 - 15*x^2)) / ((sqrt (1 - (x ^ 2)))^7*PI).
Definition d5 (x : R) : R := (-25*(sqrt (1 - (x ^ 2)))^6 - 183*(sqrt (1 - (x ^ 2)))^4*x^2 + 9*(sqrt (1 - (x ^ 2)))^4 - 255*(sqrt (1 - (x ^ 2)))^2*x^4 + 90*(sqrt (1 - (x ^ 2)))^2*x^2 - 105*x^6 + 105*x^4) / ((sqrt (1 - (x ^ 2)))^9*PI).
Definition d (j : nat) : R -> R := match j with 0 => d0 | 1 => d1 | 2 => d2 | 3 => d3 | 4 => d4 | _ => d5 end%nat.
Lemma d_map x : 0 <= x <= T -> G x = d0 x.
Proof. unfold T, G, d0; intros h. same. Qed.
Lemma slope x : 0 <= x <= T -> is_derive G x (d1 x).
Proof. unfold T, G, d1; intros h. auto_derive; [inside | same]. Qed.
Lemma rungs : ladder d 5 r.
Proof.
unfold r; intros j x hj hx. do 5 (destruct j as [|j]; [cbn [d]; unfold d0, d1, d2, d3, d4, d5; auto_derive; [inside | same]|]). lia.
Qed.
Lemma top x : 0 <= x <= r -> tlo <= d 5 x <= thi.
Proof. cbn [d]. unfold r, d5, tlo, thi; intros h. split; first [lra | interval with (i_prec 60, i_bisect x, i_depth 20)]. Qed.

(** Their values at 0. *)
Lemma atom0 : (sqrt (1 - (0 ^ 2))) = 1. Proof. match goal with |- _ ?a = _ => replace a with 1 end; [exact sqrt_1 | field]. Qed.
Lemma atom1 : (atan (0 / (sqrt (1 - (0 ^ 2))))) = 0. Proof. match goal with |- _ ?a = _ => replace a with 0 end; [exact atan_0 | rewrite ?atom0; field]. Qed.
Lemma at0 : d0 0 = 0. Proof. unfold d0; rewrite ?atom1; rewrite ?atom0; field; repeat split; first [lra | exact PI_neq0]. Qed.
Lemma at1 : d1 0 = 0. Proof. unfold d1; rewrite ?atom1; rewrite ?atom0; field; repeat split; first [lra | exact PI_neq0]. Qed.
Lemma at2 : d2 0 = 2. Proof. unfold d2; rewrite ?atom1; rewrite ?atom0; field; repeat split; first [lra | exact PI_neq0]. Qed.
Lemma at3 : d3 0 = (-8) / (PI). Proof. unfold d3; rewrite ?atom1; rewrite ?atom0; field; repeat split; first [lra | exact PI_neq0]. Qed.
Lemma at4 : d4 0 = 0. Proof. unfold d4; rewrite ?atom1; rewrite ?atom0; field; repeat split; first [lra | exact PI_neq0]. Qed.
(** G increases. *)
Lemma rises x : 0 <= x <= T -> 0 <= d1 x.
Proof.
intros h. destruct (Rle_lt_dec x r) as [p|p].
- rewrite <- at1. apply (from_zero d1 d2 x); [lra | intros u hu; exact (rungs 1%nat u ltac:(lia) ltac:(lra))|].
  intros u hu. assert (w : 0 <= u <= r) by lra. clear - w. unfold r in w; unfold d2.
  interval with (i_prec 60, i_bisect u, i_depth 20).
- assert (w : r <= x <= T) by lra. clear - w. unfold r, T in w; unfold d1.
  interval with (i_prec 60, i_bisect x, i_depth 20).
Qed.
(** Taylor's formula at 0. *)
Lemma g_series t : 0 < t <= r -> exists th, tlo <= th <= thi /\ G t = (t^2*(PI*t^3*th + 120*PI - 160*t)) / (120*PI).
Proof.
intros h. destruct (taylor_ladder d 5 tlo thi r rungs top t h) as [th [h1 h2]]. exists th. split; [exact h1|].
rewrite (d_map t) by (unfold r, T in *; lra). change (d0 t) with (d 0 t). rewrite h2. cbn [taylor d]. factorials. rewrite at0, at1, at2, at3, at4.
try replace th with 0 by (unfold tlo, thi in h1; lra). clear; field; repeat split; exact PI_neq0.
Qed.

Lemma f_up x y : 0 < x -> x <= y -> y <= T ^ q -> f x <= f y.
Proof. apply (root_up G d1); [unfold q; lia | unfold T; lra | exact slope | exact rises]. Qed.

(** G t = t^q (1 - t^m v(t, theta)). *)
Definition v (t th : R) : R := (-PI*t^2*th + 160) / (120*PI).
Lemma g_taylor t : 0 < t <= r -> exists th, tlo <= th <= thi /\ G t = pw q t * (1 - t ^ m * v t th).
Proof.
intros h. destruct (g_series t h) as [th [h1 ->]]. exists th. split; [exact h1|]. clear. unfold q, v, m. cbn [pw].
field; repeat split; exact PI_neq0.
Qed.
Lemma v_in t th : 0 < t <= r -> tlo <= th <= thi -> 0 <= t ^ m * v t th <= y0.
Proof. unfold r, tlo, thi, y0, v, m; intros. split; interval with (i_prec 60, i_bisect t, i_depth 20). Qed.

(** The defect begins with t^(k+m): what is left of it is P. *)
Definition P (t th ph ps : R) : R := (192000*PI^2*(-9*PI^3*th - 5120*ps + 960) + t*(192000*PI*(3*PI^3*th - 2560*ph + 1280) + t*(18432000*PI^3*ps*th - 2304000*PI^3*th + PI*t*th*(3600*PI*(-PI^3*th + 2560*ph - 1280) + t*(-115200*PI^3*ps*th + 7200*PI^3*th + PI*t*th*(28800*PI*(1 - 2*ph) + t*(240*PI^3*ps*th + PI*t*th*(120*PI*ph - 60*PI + ph*t*(PI*t^2*th - 640)) + 153600*ph)) - 16384000*ph)) + 655360000*ph))) / (276480000*PI^4).
Lemma defect_is t th ph ps : root_top v al rho J t th ph ps = t ^ (k + m) * P t th ph ps.
Proof. unfold defect_top, root_top, P, v, al, rho, m, k, J. simpl geo. simpl lnp. cbv [Nat.add]. field; repeat split; exact PI_neq0. Qed.
Lemma P_in t th ph ps : 0 < t <= r -> tlo <= th <= thi -> 0 <= ph <= (500/1449) -> 0 <= ps <= (62500000/949862087) ->
  0 <= root_room v K t th + P t th ph ps /\ 0 <= root_room v K t th - P t th ph ps.
Proof.
unfold r, tlo, thi; intros. unfold room, root_room, P, v, K, m, k. simpl geo.
split; interval with (i_prec 60, i_bisect t, i_bisect ph, i_bisect th, i_bisect ps, i_depth 25).
Qed.
Lemma defect_le t th ph ps : 0 < t <= r -> tlo <= th <= thi -> 0 <= ph <= / (INR (S J) * (1 - y0)) ->
  0 <= ps <= / (2 * (2 - y0) ^ 3) -> Rabs (root_top v al rho J t th ph ps) <= t ^ (k + m) * root_room v K t th.
Proof.
intros h1 h2 [h3 h4] [h6 h7].
assert (h5 : ph <= (500/1449)) by (eapply Rle_trans; [exact h4|]; unfold J, y0; simpl INR; right; field).
assert (h8 : ps <= (62500000/949862087)) by (eapply Rle_trans; [exact h7|]; unfold y0; right; field).
destruct (P_in t th ph ps h1 h2 (conj h3 h5) (conj h6 h8)). pose proof (pow_le t (k + m) ltac:(lra)).
rewrite (defect_is t th ph ps), Rabs_mult, Rabs_pos_eq by assumption. apply Rmult_le_compat_l; [assumption|]. apply Rabs_le; split; lra.
Qed.
Lemma K_pos : 0 <= K. Proof. unfold K; lra. Qed.
Lemma y0_lt : y0 < 1. Proof. unfold y0; lra. Qed.
Lemma zero_ps : 0 <= 0 <= / (2 * (2 - y0) ^ 3).
Proof. split; [lra|]. left. apply Rinv_0_lt_compat, Rmult_lt_0_compat; [lra | apply pow_lt; unfold y0; lra]. Qed.
Lemma g_in t : 0 < t <= r -> 0 < g t <= r /\ 0 < G t.
Proof. exact (root_in G v r y0 tlo thi y0_lt g_taylor v_in t). Qed.
Lemma g_defect t : 0 < t <= r -> Rabs (Aab al rho m (g t) - Aab al rho m t - 1) <= K * t ^ k - K * g t ^ k.
Proof. exact (root_defect G v r al rho K y0 tlo thi k J K_pos ltac:(unfold k; lia) y0_lt g_taylor v_in defect_le t). Qed.

(** The first layers by reflection: domains, the law from layer `first` on, the constant at the last layer. *)
Definition ge : ex := (Sub (Add (Pow X 2) (Mul (Sub (Div (Cst 1) Pi) (Div (Mul (Cst 2) (Pow X 2)) Pi)) (Atan (Div X (Sqrt (Sub (Cst 1) (Pow X 2))))))) (Div (Mul X (Sqrt (Sub (Cst 1) (Pow X 2)))) Pi)).
Definition fe : ex := subst ge (roote q X).
Lemma G_ge x n : G x = evR ge x n. Proof. reflexivity. Qed.
Definition prec : SFZ.precision := 64%Z.
Definition each : ex := gap q m (Mul (Div (Cst 3) (Cst 2)) Pi) (Cst 3) (Div (Cst 166049) (Cst 1000)).
Definition ends : list ex := at_last q m k (Mul (Div (Cst 3) (Cst 2)) Pi) (Div (Cst 3) (Cst 2)) (Div (Cst 8817) (Cst 10000)) (Div (Cst 744227) (Cst 125000)) (Div (Cst 745049) (Cst 125000)) (Div (Cst 46) (Cst 625)).
Lemma computed : run prec fe each (Pow (Div (Cst 84) (Cst 125)) q) ends (Z.of_nat first)
  (lowpt (evI prec (Div (Cst 9) (Cst 20)) I.zero I.zero)) (uppt (evI prec (Div (Cst 9) (Cst 20)) I.zero I.zero)) (Z.of_nat off) steps = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Lemma computed_domain : dom_on prec ge (Div (Cst 46) (Cst 625)) 64 64 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

(** Every node of the map inside its real domain on all of (0, r]. *)
Theorem g_domain x i : 0 < x <= r -> dom ge x i.
Proof.
intros h. assert (d0 : dom ge x 0); [|revert d0; cbn [dom ge evR]; tauto].
apply (dom_on_correct prec ge (Div (Cst 46) (Cst 625)) 64 x r); [reflexivity | unfold r; lra | lia | exact computed_domain | lra].
Qed.

Lemma INR_last : INR (steps + off) = 1250. Proof. unfold steps, off. rewrite INR_IZR_INZ. reflexivity. Qed.
Lemma Rabs_rho : Rabs rho = (3/2). Proof. unfold rho. first [apply Rabs_pos_eq; lra | rewrite Rabs_left; lra]. Qed.
Lemma all x0 : lo <= x0 <= hi -> (forall n, dom fe (orbit f x0 n) (INR (n + off))) /\
  (exists C, clo <= C <= chi /\ forall n, (steps + off <= n)%nat ->
    Rabs (Aab al rho m (root q (orbit f x0 (n - off))) - INR n - C) <= K * root q (orbit f x0 (n - off)) ^ k) /\
  (forall n, (first <= n)%nat ->
    Rabs (orbit f x0 (n - off) - pw q (root m (al / INR n)) * (1 - l1 * ln (INR n) / INR n)) <= B / (INR n * pw q (root m (INR n)))).
Proof.
intros h. apply (two_terms G r al rho K l1 B b W clo chi (T ^ q) q m k first steps off) with (prec := prec) (loe := (Div (Cst 9) (Cst 20)))
  (hie := (Div (Cst 9) (Cst 20))) (tope := Pow (Div (Cst 84) (Cst 125)) q) (re := (Div (Cst 46) (Cst 625))) (ale := (Mul (Div (Cst 3) (Cst 2)) Pi)) (rhoe := (Div (Cst 3) (Cst 2))) (l1e := (Cst 3)) (Ke := (Div (Cst 8817) (Cst 10000))) (Be := (Div (Cst 166049) (Cst 1000)))
  (cloe := (Div (Cst 744227) (Cst 125000))) (chie := (Div (Cst 745049) (Cst 125000))).
all: try exact G_ge; try exact g_defect; try exact f_up; try exact g_domain; try exact computed; try exact h; try reflexivity.
all: try (intros t0 h0; apply (g_in t0 h0)).
all: rewrite ?Rabs_rho, ?INR_last; unfold first, steps, off, r, al, rho, l1, K, B, b, W, clo, chi, m, k, q; try lia.
all: cbn [root]; unfold Rpower; simpl INR; cbn [pow]; first [lra | field | interval with (i_prec 60)].
Qed.

(** Every node of the map inside its real domain at every layer: what Coq's total functions are outside plays no part. *)
Theorem domain : forall n, dom fe (orbit f (9/20) n) (INR (n + off)).
Proof.  destruct (all (9/20) ltac:(unfold lo, hi; lra)) as [h _]. exact h. Qed.
(** The constant of Abel's function. *)
Theorem constant : exists C, (744227/125000) <= C <= (745049/125000) /\
  forall n, (1250 <= n)%nat -> let t := sqrt (orbit f (9/20) (n - 1)) in
    Rabs ((3/2) * PI / t ^ 1 + (3/2) * ln t - INR n - C) <= (8817/10000) * t ^ 1.
Proof.
 destruct (all (9/20) ltac:(unfold lo, hi; lra)) as [_ [[C [hC h]] _]]. exists C. split; [exact hC|].
intros n hn. specialize (h n hn). unfold off in h. rewrite ?Nat.sub_0_r in h. exact h.
Qed.
(** The law. *)
Theorem law : forall n, (2 <= n)%nat ->
  Rabs (orbit (fun x => (((sqrt x) ^ 2) + (((1 / PI) - ((2 * ((sqrt x) ^ 2)) / PI)) * (atan ((sqrt x) / (sqrt (1 - ((sqrt x) ^ 2))))))) - (((sqrt x) * (sqrt (1 - ((sqrt x) ^ 2)))) / PI)) (9/20) (n - 1) - (((3/2) * PI / INR n)) ^ 2 * (1 - 3 * ln (INR n) / INR n)) <= (166049/1000) / (INR n * ((INR n)) ^ 2).
Proof.
 destruct (all (9/20) ltac:(unfold lo, hi; lra)) as [_ [_ h]].
intros n hn. specialize (h n hn). unfold off in h. rewrite ?Nat.sub_0_r in h. exact h.
Qed.
(** The same in x of the proof object, 2 times the x above. *)
Theorem law_of_x : forall n, (2 <= n)%nat ->
  Rabs (orbit (fun x => 2 * ((((sqrt (x / 2)) ^ 2) + (((1 / PI) - ((2 * ((sqrt (x / 2)) ^ 2)) / PI)) * (atan ((sqrt (x / 2)) / (sqrt (1 - ((sqrt (x / 2)) ^ 2))))))) - (((sqrt (x / 2)) * (sqrt (1 - ((sqrt (x / 2)) ^ 2)))) / PI))) (9/10) (n - 1) - 2 * (((3/2) * PI / INR n)) ^ 2 * (1 - 3 * ln (INR n) / INR n)) <= (166049/500) / (INR n * ((INR n)) ^ 2).
Proof.
intros. assert (o : forall j y, orbit (fun x => 2 * f (x / 2)) (2 * y) j = 2 * orbit f y j).
{ intros j y. induction j; [reflexivity|]. cbn [orbit]. rewrite IHj. f_equal. f_equal. field. }
assert (w : Rabs (orbit f ((9/10) / 2) (n - 1) - (((3/2) * PI / INR n)) ^ 2 * (1 - 3 * ln (INR n) / INR n)) <= (166049/1000) / (INR n * ((INR n)) ^ 2)).
{ replace ((9/10) / 2) with (9/20) by lra. apply law; lra || assumption. }
change (Rabs (orbit (fun x => 2 * f (x / 2)) (9/10) (n - 1) - 2 * (((3/2) * PI / INR n)) ^ 2 * (1 - 3 * ln (INR n) / INR n)) <= (166049/500) / (INR n * ((INR n)) ^ 2)).
replace (9/10) with (2 * ((9/10) / 2)) at 1 by lra. rewrite o. set (y := orbit f ((9/10) / 2) (n - 1)) in *.
assert (n0 : 0 < INR n) by (apply lt_0_INR; lia). set (z := 1 - 3 * ln (INR n) / INR n) in *.
replace (2 * y - 2 * (((3/2) * PI / INR n)) ^ 2 * z) with (2 * (y - (((3/2) * PI / INR n)) ^ 2 * z)) by (field; try exact PI_neq0; lra).
replace ((166049/500) / (INR n * ((INR n)) ^ 2)) with (2 * ((166049/1000) / (INR n * ((INR n)) ^ 2))) by (field; lra).
rewrite Rabs_mult, Rabs_pos_eq by lra. apply Rmult_le_compat_l; [lra | exact w].
Qed.
Definition theorems := (g_domain, domain, constant, law, law_of_x).

Print Assumptions theorems.
