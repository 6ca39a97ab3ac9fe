(** The correlations of a network with a smooth activation on the Edge of Chaos, @network: c^(l+1) = f c^l.
    The theorem rests on what its hypotheses say, which Coq does not check: f's derivatives at 1 and near it (moments of the
    activation), and one layer, @layer, in which 1 - c lies between two numbers.
    Written by asympt. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
Require Import ParabolicLemmas Bounds Ladder TwoTerm Finite Law.
Import IT.
Open Scope R_scope.

Section Smooth.
Definition r : R := @range.
(** f 0 is the map, f j its j-th derivative. *)
Variables (f : nat -> R -> R) (c1 : R).
Hypothesis derivatives : forall j c, (j < 4)%nat -> 1 - r <= c <= 1 -> is_derive (f j) c (f (S j) c).
Hypothesis edge_of_chaos : f 0%nat 1 = 1 /\ f 1%nat 1 = 1.
Hypothesis second_at_1 : @f2lo <= f 2%nat 1 <= @f2hi.
Hypothesis third_at_1 : @f3lo <= f 3%nat 1 <= @f3hi.
Hypothesis fourth : forall c, 1 - r <= c <= 1 -> 0 <= f 4%nat c <= @f4hi.
Hypothesis layer_@layer : @xlo <= 1 - orbit (f 0%nat) c1 @steps <= @xhi.

(** In t = 1 - c. *)
Definition G (t : R) : R := 1 - f 0%nat (1 - t).
Definition d (j : nat) (t : R) : R :=
  match j with 0 => G t | 1 => f 1 (1 - t) | 2 => - f 2 (1 - t) | 3 => f 3 (1 - t) | _ => - f 4 (1 - t) end%nat.
Lemma inner j t : (j < 4)%nat -> 0 <= t <= r -> is_derive (fun t => f j (1 - t)) t (- f (S j) (1 - t)).
Proof.
intros hj h. replace (- f (S j) (1 - t)) with (scal (-1) (f (S j) (1 - t))) by (unfold scal; simpl; unfold mult; simpl; ring).
apply (is_derive_comp (f j) (fun t => 1 - t)); [apply derivatives; [exact hj | lra]|]. auto_derive; [exact Logic.I | ring].
Qed.
Lemma rungs : ladder d 4 r.
Proof.
intros j t hj h. destruct j as [|[|[|[|j]]]]; [| | | |lia]; cbn [d].
- replace (f 1%nat (1 - t)) with (0 - - f 1%nat (1 - t)) by ring. unfold G.
  exact (is_derive_minus (fun _ => 1) (fun t => f 0%nat (1 - t)) t 0 _ (is_derive_const 1 t) (inner 0 t ltac:(lia) h)).
- exact (inner 1 t ltac:(lia) h).
- replace (f 3%nat (1 - t)) with (- - f 3%nat (1 - t)) by ring. exact (is_derive_opp _ t _ (inner 2 t ltac:(lia) h)).
- exact (inner 3 t ltac:(lia) h).
Qed.
Definition f2 : R := f 2%nat 1.
Definition f3 : R := f 3%nat 1.
Definition al : R := 2 / f2.
Definition rho : R := 1 - 2 * f3 / (3 * f2 ^ 2).
Definition K : R := @K.
Definition b : R := @b.
Definition W : R := @W.
Definition clo : R := @clo.
Definition chi : R := @chi.
Definition y0 : R := @y0.
Definition v (t th : R) : R := f2 / 2 - f3 / 6 * t + th * t ^ 2.
Lemma f2_in : @f2lo <= f2 <= @f2hi. Proof. exact second_at_1. Qed.
Lemma f3_in : @f3lo <= f3 <= @f3hi. Proof. exact third_at_1. Qed.
Lemma g_taylor t : 0 < t <= r -> exists th, 0 <= th <= @th /\ G t = t * (1 - t ^ 1 * v t th).
Proof.
intros h. destruct (taylor_ladder d 4 (- @f4hi) 0 r rungs) with (t := t) as [th [h1 h2]]; [|exact h|].
- intros x hx. cbn [d]. pose proof (fourth (1 - x) ltac:(lra)). lra.
- exists (- th / 24). split; [lra|]. destruct edge_of_chaos as [e0 e1]. change (G t) with (d 0 t). rewrite h2.
  cbn [taylor d]. factorials. unfold G. rewrite !Rminus_0_r, e0, e1. unfold v, f2, f3. field.
Qed.
Lemma v_in t th : 0 < t <= r -> 0 <= th <= @th -> 0 <= t ^ 1 * v t th <= y0.
Proof.
intros ht hth. pose proof f2_in as p2. pose proof f3_in as p3. unfold v, y0. generalize dependent f3. generalize dependent f2.
unfold r in ht. intros u hu w hw. split; interval with (i_prec 60, i_bisect t, i_depth 20).
Qed.
Definition P (f2 f3 t th ph : R) : R := @P.
Lemma defect_is t th ph : defect_top v al rho 1 2 t th ph = t ^ 2 * P f2 f3 t th ph.
Proof.
unfold defect_top, P, v, al, rho. simpl geo. simpl lnp. field. pose proof f2_in. lra.
Qed.
Ltac difference := first [apply Rminus_lt | apply Rminus_le]; interval with (i_prec 60).
Ltac with_bounds := pose proof f2_in as p2; pose proof f3_in as p3; generalize dependent f3; generalize dependent f2;
  intros u2 q2 u3 q3.
Lemma P_in t th ph : 0 < t <= r -> 0 <= th <= @th -> 0 <= ph <= @phi ->
  0 <= room v K 1 1 t th + P f2 f3 t th ph /\ 0 <= room v K 1 1 t th - P f2 f3 t th ph.
Proof.
intros ht hth hph. unfold room, v, K, P. simpl geo. with_bounds. unfold r in ht.
split; interval with (i_prec 60, i_bisect t, i_bisect ph, i_bisect th, i_depth 25).
Qed.
Lemma defect_le t th ph : 0 < t <= r -> 0 <= th <= @th -> 0 <= ph <= / (INR 3 * (1 - y0)) ->
  Rabs (defect_top v al rho 1 2 t th ph) <= t ^ (1 + 1) * room v K 1 1 t th.
Proof.
intros ht hth [h3 h4]. assert (h5 : ph <= @phi) by (eapply Rle_trans; [exact h4|]; unfold y0; simpl INR; right; field).
destruct (P_in t th ph ht hth (conj h3 h5)).
rewrite defect_is. cbn [Nat.add]. rewrite Rabs_mult, Rabs_pos_eq by apply pow2_ge_0. apply Rmult_le_compat_l; [apply pow2_ge_0|].
apply Rabs_le; split; lra.
Qed.
Lemma y0_lt : y0 < 1. Proof. unfold y0; lra. Qed.
Lemma g_in t : 0 < t <= r -> 0 < G t <= r.
Proof. exact (map_in G v r y0 0 @th 1 y0_lt g_taylor v_in t). Qed.
Lemma g_defect t : 0 < t <= r -> Rabs (Aab al rho 1 (G t) - Aab al rho 1 t - 1) <= K * t ^ 1 - K * G t ^ 1.
Proof. exact (defect G v r al rho K y0 0 @th 1 1 2 y0_lt g_taylor v_in defect_le t). Qed.
Lemma E_pos t : 0 < t <= r -> 0 <= K * t ^ 1. Proof. unfold K. intros h. rewrite pow_1. lra. Qed.
Lemma al_pos : 0 < al. Proof. unfold al. with_bounds. interval with (i_prec 60). Qed.

Definition x1 : R := 1 - orbit (f 0%nat) c1 @steps.
Lemma orbit_x j : 1 - orbit (f 0%nat) c1 (j + @steps) = orbit G x1 j.
Proof. induction j; [reflexivity|]. cbn [Nat.add orbit]. rewrite <- IHj. unfold G. do 2 f_equal. ring. Qed.
Lemma x1_in : 0 < x1 <= r. Proof. pose proof layer_@layer as h. fold x1 in h. unfold r. lra. Qed.
Lemma ends : clo <= Aab al rho 1 x1 - @layer - K * x1 ^ 1 /\ Aab al rho 1 x1 - @layer + K * x1 ^ 1 <= chi.
Proof.
pose proof layer_@layer as h. fold x1 in h. generalize dependent x1. intros x h. unfold Aab, al, rho, K, clo, chi. with_bounds.
split; interval with (i_prec 60).
Qed.
Theorem law : forall l, (@layer <= l)%nat ->
  Rabs (1 - orbit (f 0%nat) c1 (l - 1) - 2 / f 2%nat 1 / INR l *
    (1 - (1 - 2 * f 3%nat 1 / (3 * f 2%nat 1 ^ 2)) * ln (INR l) / INR l)) <= @B / INR l ^ 2.
Proof.
intros l hl. assert (n0 : INR (0 + @layer) = @layer) by (rewrite INR_IZR_INZ; reflexivity).
assert (l0 : 0 < INR l) by (apply lt_0_INR; lia).
pose proof (two_term_law_from G (fun t => K * t ^ 1) r al rho 1 ltac:(lia) al_pos g_in E_pos g_defect) as T.
specialize (T ltac:(unfold al, rho, r; simpl INR; with_bounds; difference) x1 0%nat @layer%nat clo chi b W x1_in ltac:(lia)).
rewrite !n0 in T. cbn [orbit] in T. specialize (T (proj1 ends) (proj2 ends)).
specialize (T ltac:(unfold b; lra)).
specialize (T ltac:(unfold rho, b, W; simpl INR; with_bounds; difference)).
specialize (T ltac:(unfold W; lra)).
specialize (T ltac:(unfold al, W, r; with_bounds; difference)).
specialize (T ltac:(unfold al, rho, b, W, chi; simpl INR; with_bounds; difference)).
specialize (T ltac:(unfold al, rho, b, W, clo; simpl INR; with_bounds; difference)).
specialize (T (l - @layer)%nat ltac:(lia)). rewrite <- orbit_x in T.
replace (l - @layer + @steps)%nat with (l - 1)%nat in T by lia. replace (l - @layer + @layer)%nat with l in T by lia.
assert (e : ypt al 1 (INR l) = al / INR l).
{ unfold ypt. simpl INR. rewrite Rinv_1, Rpower_1; [reflexivity|]. apply Rdiv_lt_0_compat; [exact al_pos | exact l0]. }
rewrite e in T. change (2 / f 2%nat 1) with al. change (1 - 2 * f 3%nat 1 / (3 * f 2%nat 1 ^ 2)) with rho.
replace (rho * ln (INR l) / INR l) with (rho / INR 1 ^ 2 * ln (INR l) / INR l) by (simpl INR; field; lra).
eapply Rle_trans; [exact T|]. replace (b * (al / INR l) / INR l) with (b * al / INR l ^ 2) by (field; lra).
apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, pow_lt; exact l0|].
unfold b, al. with_bounds. difference.
Qed.
End Smooth.
Check law.
Print Assumptions law.
