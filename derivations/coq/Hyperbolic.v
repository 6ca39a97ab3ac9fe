(** x_0 = 1, x_(n+1) = G x_n, G x = ((1/2) * x) - ((1/3) * (x ^ 2)), near a fixed point of the slope chi = (1/2): the law of x_n, with Koenigs'
    constant, for every layer.
    Written by asympt from a proof object. Nothing that wrote it is trusted: coqc checks it. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
Require Import ParabolicLemmas Bounds Ladder Finite Law Hyper.
Import IT.
Open Scope R_scope.

Definition G (x : R) : R := ((1/2) * x) - ((1/3) * (x ^ 2)).

(** The numbers of the proof. |S (G t) - chi S t| <= chi E t - E (G t), E = K t^k, on (0, r]; G increases on (0, T]; the
    start is layer off; steps: so many layers on, the last one is computed; c: the coefficients of the law in z. *)
Definition k := 5%nat.
Definition M := 4%nat.
Definition first := 2%nat.
Definition steps := 6%nat.
Definition off := 0%nat.
Definition x0 : R := 1.
Definition r : R := (1/4).
Definition T : R := (1/4).
Definition chi : R := (1/2).
Definition c : list R := (1 :: (4/3) :: (64/27) :: nil).
Definition S (x : R) : R := (((1 * (x ^ 1)) + ((-4/3) * (x ^ 2))) + ((32/27) * (x ^ 3))) + ((-64/63) * (x ^ 4)).
Definition K : R := (2149/2500).
Definition E (x : R) : R := K * x ^ k.
Definition B : R := (77081/2500000).
Definition b : R := (2951/500).
Definition reach : R := (4201/1000000).
Definition clo : R := (268843562310188996715073/1000000000000000000000000).
Definition cup : R := (268843562458210412220117/1000000000000000000000000).
Definition mid : R := (53768712476839940893519/200000000000000000000000).
Definition half : R := (37005353876261/500000000000000000000000).
Definition slack : R := (1653/10000000000000).
Definition tlo : R := 0.
Definition thi : R := 0.

(** Side conditions of derivatives: a node's argument inside its domain; equal fractions. *)
Ltac inside := repeat split; first [exact Logic.I | exact PI_neq0 | lra | interval with (i_prec 40) |
  apply Rgt_not_eq; first [lra | interval with (i_prec 40)] | apply Rlt_not_eq; first [lra | interval with (i_prec 40)]].
Ltac same := unfold Rminus, Rdiv in *; cbn [pow] in *; field; inside.

(** G and its derivatives. *)
Definition d0 (x : R) : R := (x*(3 - 2*x)) / (6).
Definition d1 (x : R) : R := 1/2 - 2*x/3.
Definition d2 (x : R) : R := (-2) / (3).
Definition d3 (x : R) : R := 0.
Definition d4 (x : R) : R := 0.
Definition d5 (x : R) : R := 0.
Definition d6 (x : R) : R := 0.
Definition d (j : nat) : R -> R := match j with 0 => d0 | 1 => d1 | 2 => d2 | 3 => d3 | 4 => d4 | 5 => d5 | _ => d6 end%nat.
Lemma d_map x : 0 <= x <= T -> G x = d0 x.
Proof. unfold T, G, d0; intros h. same. Qed.
Lemma slope x : 0 <= x <= T -> is_derive G x (d1 x).
Proof. unfold T, G, d1; intros h. auto_derive; [inside | same]. Qed.
Lemma rungs : ladder d 6 r.
Proof.
unfold r; intros j x hj hx. do 6 (destruct j as [|j]; [cbn [d]; unfold d0, d1, d2, d3, d4, d5, d6; auto_derive; [inside | same]|]). lia.
Qed.
Lemma top x : 0 <= x <= r -> tlo <= d 6 x <= thi.
Proof. cbn [d]. unfold r, d6, tlo, thi; intros h. split; first [lra | interval with (i_prec 60, i_bisect x, i_depth 20)]. Qed.

(** Their values at 0. *)
Lemma at0 : d0 0 = 0. Proof. unfold d0; field; repeat split; first [lra | exact PI_neq0]. Qed.
Lemma at1 : d1 0 = (1) / (2). Proof. unfold d1; field; repeat split; first [lra | exact PI_neq0]. Qed.
Lemma at2 : d2 0 = (-2) / (3). Proof. unfold d2; field; repeat split; first [lra | exact PI_neq0]. Qed.
Lemma at3 : d3 0 = 0. Proof. unfold d3; field; repeat split; first [lra | exact PI_neq0]. Qed.
Lemma at4 : d4 0 = 0. Proof. unfold d4; field; repeat split; first [lra | exact PI_neq0]. Qed.
Lemma at5 : d5 0 = 0. Proof. unfold d5; field; repeat split; first [lra | exact PI_neq0]. Qed.
(** G increases. *)
Lemma rises x : 0 <= x <= T -> 0 <= d1 x.
Proof.
intros h. unfold T in h; unfold d1. interval with (i_prec 60, i_bisect x, i_depth 20).
Qed.
(** Taylor's formula at 0. *)
Lemma g_series t : 0 < t <= r -> exists th, tlo <= th <= thi /\ G t = (t*(3 - 2*t)) / (6).
Proof.
intros h. destruct (taylor_ladder d 6 tlo thi r rungs top t h) as [th [h1 h2]]. exists th. split; [exact h1|].
rewrite (d_map t) by (unfold r, T in *; lra). change (d0 t) with (d 0 t). rewrite h2. cbn [taylor d]. factorials. rewrite at0, at1, at2, at3, at4, at5.
try replace th with 0 by (unfold tlo, thi in h1; lra). clear; field; repeat split; exact PI_neq0.
Qed.

(** G t = t u(t, theta); what S leaves begins with t^k: Q. *)
Definition u (t th : R) : R := (3 - 2*t) / (6).
Definition Q (t th : R) : R := (64*t*(t*(6 - t) - 17) + 1872) / (5103).
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
apply (increasing_strictly (fun t => S t + E t) (fun t => (135387*t^4 - 128000*t^3 + 112000*t^2 - 84000*t + 31500) / (31500))); intros x.
- unfold S, E, K, k. auto_derive; [exact Logic.I | field].
- unfold r. intros h. interval with (i_prec 60, i_bisect x, i_depth 20).
Qed.
Lemma minus s t : 0 < s -> s < t -> t <= r -> S s - E s < S t - E t.
Proof.
apply (increasing_strictly (fun t => S t - E t) (fun t => (-135387*t^4 - 128000*t^3 + 112000*t^2 - 84000*t + 31500) / (31500))); intros x.
- unfold S, E, K, k. auto_derive; [exact Logic.I | field].
- unfold r. intros h. interval with (i_prec 60, i_bisect x, i_depth 20).
Qed.

(** Beside the law. *)
Lemma low z : 0 < z <= reach -> let y := pol c z - b * z ^ M in 0 < y <= r /\ S y + E y <= z.
Proof.
intros h y. assert (e : z - (S y + E y) = z ^ M * ((z*(z*(z*(z*(z*(z*(z*(z*(z*(z*(z*(79677*z*(1198581111*z*(79677*z*(79677*z*(79677*z - 160000) + 3069070000) + 161680397792500) + 672031094476282280000000) - 34233989217304471817660000000) - 14523149366147428851622500000) - 8064025603457728140000000000) + 13507305455950128735000000000) + 1068745547736894498750000000) - 108732265788510000000000000) - 1777749407255025000000000000) + 785897309303400937500000000) - 138106217835000000000000000) - 23973676666875000000000000) - 137333449791281250000000000) + 85285679359218750000000000) / (7847058515625000000000000))) by (unfold y, S, E, K, k, c, b, M; cbn [pol]; field).
assert (f : y = z * ((z*(z*(32000 - 79677*z) + 18000) + 13500) / (13500))) by (unfold y, c, b, M; cbn [pol]; field).
assert (n : 0 <= (z*(z*(z*(z*(z*(z*(z*(z*(z*(z*(z*(79677*z*(1198581111*z*(79677*z*(79677*z*(79677*z - 160000) + 3069070000) + 161680397792500) + 672031094476282280000000) - 34233989217304471817660000000) - 14523149366147428851622500000) - 8064025603457728140000000000) + 13507305455950128735000000000) + 1068745547736894498750000000) - 108732265788510000000000000) - 1777749407255025000000000000) + 785897309303400937500000000) - 138106217835000000000000000) - 23973676666875000000000000) - 137333449791281250000000000) + 85285679359218750000000000) / (7847058515625000000000000)) by (clear - h; unfold reach in h; interval with (i_prec 60, i_bisect z, i_depth 20)).
assert (p : 0 < (z*(z*(32000 - 79677*z) + 18000) + 13500) / (13500)) by (clear - h; unfold reach in h; interval with (i_prec 60, i_bisect z, i_depth 20)).
assert (w : z * ((z*(z*(32000 - 79677*z) + 18000) + 13500) / (13500)) <= r) by (clear - h; unfold r, reach in *; interval with (i_prec 60, i_bisect z, i_depth 20)).
pose proof (Rmult_le_pos _ _ (pow_le z M ltac:(lra)) n). rewrite <- e in H. rewrite f in *. split; [split; [apply Rmult_lt_0_compat; lra | exact w] | lra].
Qed.
Lemma upp z : 0 < z <= reach -> let y := pol c z + b * z ^ M in 0 < y <= r /\ z <= S y - E y.
Proof.
intros h y. assert (e : S y - E y - z = z ^ M * ((z*(z*(z*(z*(z*(z*(z*(z*(z*(z*(z*(79677*z*(1198581111*z*(79677*z*(79677*z*(-79677*z - 160000) - 17410930000) - 1674077682207500) - 1997565916753402280000000) - 136472531863506897142340000000) - 106048773394818938348377500000) - 73863374157093568140000000000) - 43527586656236591265000000000) - 23215384262313185501250000000) - 10675242402179490000000000000) - 3501103646904975000000000000) - 1317165886223400937500000000) - 345258857835000000000000000) - 65964076666875000000000000) - 123161689791281250000000000) + 7340999359218750000000000) / (7847058515625000000000000))) by (unfold y, S, E, K, k, c, b, M; cbn [pol]; field).
assert (f : y = z * ((z*(z*(79677*z + 32000) + 18000) + 13500) / (13500))) by (unfold y, c, b, M; cbn [pol]; field).
assert (n : 0 <= (z*(z*(z*(z*(z*(z*(z*(z*(z*(z*(z*(79677*z*(1198581111*z*(79677*z*(79677*z*(-79677*z - 160000) - 17410930000) - 1674077682207500) - 1997565916753402280000000) - 136472531863506897142340000000) - 106048773394818938348377500000) - 73863374157093568140000000000) - 43527586656236591265000000000) - 23215384262313185501250000000) - 10675242402179490000000000000) - 3501103646904975000000000000) - 1317165886223400937500000000) - 345258857835000000000000000) - 65964076666875000000000000) - 123161689791281250000000000) + 7340999359218750000000000) / (7847058515625000000000000)) by (clear - h; unfold reach in h; interval with (i_prec 60, i_bisect z, i_depth 20)).
assert (p : 0 < (z*(z*(79677*z + 32000) + 18000) + 13500) / (13500)) by (clear - h; unfold reach in h; interval with (i_prec 60, i_bisect z, i_depth 20)).
assert (w : z * ((z*(z*(79677*z + 32000) + 18000) + 13500) / (13500)) <= r) by (clear - h; unfold r, reach in *; interval with (i_prec 60, i_bisect z, i_depth 20)).
pose proof (Rmult_le_pos _ _ (pow_le z M ltac:(lra)) n). rewrite <- e in H. rewrite f in *. split; [split; [apply Rmult_lt_0_compat; lra | exact w] | lra].
Qed.

(** The first layers by reflection. *)
Definition ge : ex := (Sub (Mul (Div (Cst 1) (Cst 2)) X) (Mul (Div (Cst 1) (Cst 3)) (Pow X 2))).
Lemma G_ge x n : G x = evR ge x n. Proof. reflexivity. Qed.
Definition prec : SFZ.precision := 128%Z.
Definition we : ex := Exp (Mul N (Ln (Div (Cst 1) (Cst 2)))).
Definition pole (z : ex) : ex := (Mul z (Add (Cst 1) (Mul z (Add (Div (Cst 4) (Cst 3)) (Mul z (Add (Div (Cst 64) (Cst 27)) (Cst 0))))))).
Definition each : ex := Sub (Sub (Mul (Div (Cst 77081) (Cst 2500000)) (Pow we M)) (Abs (Sub X (pole (Mul (Div (Cst 53768712476839940893519) (Cst 200000000000000000000000)) we))))) (Mul (Div (Cst 1653) (Cst 10000000000000)) we).
Definition Se : ex := (Add (Add (Add (Mul (Cst 1) (Pow X 1)) (Mul (Div (Cst (-4)) (Cst 3)) (Pow X 2))) (Mul (Div (Cst 32) (Cst 27)) (Pow X 3))) (Mul (Div (Cst (-64)) (Cst 63)) (Pow X 4))).
Definition Ee : ex := Mul (Div (Cst 2149) (Cst 2500)) (Pow X k).
Definition lowe : ex := Sub (Sub Se Ee) (Mul (Div (Cst 268843562310188996715073) (Cst 1000000000000000000000000)) we).
Definition uppe : ex := Sub (Mul (Div (Cst 268843562458210412220117) (Cst 1000000000000000000000000)) we) (Add Se Ee).
Lemma computed : run prec ge each (Div (Cst 1) (Cst 4)) (Sub (Div (Cst 1) (Cst 4)) X :: lowe :: uppe :: nil) (Z.of_nat first)
  (lowpt (evI prec (Cst 1) I.zero I.zero)) (uppt (evI prec (Cst 1) I.zero I.zero)) (Z.of_nat off) steps = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Lemma computed_domain : dom_on prec ge (Div (Cst 1) (Cst 4)) 64 64 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
(** Every node of the map inside its real domain on all of (0, r], and at every layer. *)
Theorem g_domain x i : 0 < x <= r -> dom ge x i.
Proof.
intros h. assert (d0 : dom ge x 0); [|revert d0; cbn [dom ge evR]; tauto].
apply (dom_on_correct prec ge (Div (Cst 1) (Cst 4)) 64 x r); [reflexivity | unfold r; lra | lia | exact computed_domain | lra].
Qed.
Lemma G_up x y : 0 < x -> x <= y -> y <= T -> G x <= G y.
Proof. intros. apply (increasing G d1 T slope rises); lra. Qed.
Lemma INR_last : INR (steps + off) = 6. Proof. unfold steps, off. rewrite INR_IZR_INZ. reflexivity. Qed.
Lemma all : (forall n, dom ge (orbit G x0 n) (INR (n + off))) /\
  exists C, clo <= C <= cup /\ forall n, (first <= n)%nat -> Rabs (orbit G x0 (n - off) - pol c (C * chi ^ n)) <= B * (chi ^ n) ^ M.
Proof.
apply (both G S E r chi b B reach clo cup mid half slack T c M first steps off) with
  (prec := prec) (ge := ge) (x0e := (Cst 1)) (tope := (Div (Cst 1) (Cst 4))) (each := each) (re := (Div (Cst 1) (Cst 4))) (low := lowe) (upp := uppe).
all: try exact g_in; try exact E_pos; try exact defect; try exact plus; try exact minus; try exact low; try exact upp.
all: try exact G_ge; try exact G_up; try exact computed; try exact g_domain; try reflexivity.
all: unfold first, off, slack, half, mid, clo, cup, b, B, chi; try lia; try lra.
all: unfold reach, M, steps, c; cbn [lip size Nat.add]; first [lra | interval with (i_prec 60)].
Qed.
(** Every node of the map inside its real domain at every layer. *)
Theorem domain n : dom ge (orbit G x0 n) (INR (n + off)).
Proof. exact (proj1 all n). Qed.
(** The law, with Koenigs' constant C. *)
Theorem law : exists C, (268843562310188996715073/1000000000000000000000000) <= C <= (268843562458210412220117/1000000000000000000000000) /\ forall n, (2 <= n)%nat ->
  Rabs (orbit (fun x => ((1/2) * x) - ((1/3) * (x ^ 2))) 1 n - (1 * (C * (1/2) ^ n) ^ 1 + (4/3) * (C * (1/2) ^ n) ^ 2 + (64/27) * (C * (1/2) ^ n) ^ 3)) <= (77081/2500000) * ((1/2) ^ n) ^ 4.
Proof.
destruct all as [_ [C [h1 h2]]]. exists C. split; [exact h1|]. intros n hn. specialize (h2 n hn).
unfold off in h2. rewrite ?Nat.sub_0_r in h2.
replace (1 * (C * (1/2) ^ n) ^ 1 + (4/3) * (C * (1/2) ^ n) ^ 2 + (64/27) * (C * (1/2) ^ n) ^ 3) with (pol c (C * chi ^ n)) by (unfold c, chi; cbn [pol]; field). exact h2.
Qed.
Definition theorems := (g_domain, domain, law).
Print Assumptions theorems.
