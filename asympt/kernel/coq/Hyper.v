(** Hyperbolic laws, x' = G x, G x = chi x + .., 0 < chi < 1: x_n = c_1 z + .. + c_j z^j + O(z^M), z = C chi^n.
    From |S (G t) - chi S t| <= chi E t - E (G t) near 0, the sign of S +- E beside the law, and one boolean of
    reflection ([run]) for the first layers. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Coquelicot Require Import Coquelicot.
Require Import ParabolicLemmas Nested Finite.
Open Scope R_scope.

(** c_1 z + c_2 z^2 + ..; bounds of its size and of its slope on [0, Z]. *)
Fixpoint pol (c : list R) (z : R) : R := match c with nil => 0 | a :: l => z * (a + pol l z) end.
Fixpoint size (c : list R) (Z : R) : R := match c with nil => 0 | a :: l => Z * (Rabs a + size l Z) end.
Fixpoint lip (c : list R) (Z : R) : R := match c with nil => 0 | a :: l => Rabs a + size l Z + Z * lip l Z end.
Lemma pol_size c z Z : 0 <= z <= Z -> Rabs (pol c z) <= size c Z.
Proof.
intros h. induction c as [|a l]; simpl; [rewrite Rabs_R0; lra|]. rewrite Rabs_mult, (Rabs_pos_eq z) by lra.
apply Rmult_le_compat; try apply Rabs_pos; try lra. eapply Rle_trans; [apply Rabs_triang | lra].
Qed.
Lemma pol_lip c z w Z : 0 <= z <= Z -> 0 <= w <= Z -> Rabs (pol c z - pol c w) <= lip c Z * Rabs (z - w).
Proof.
intros hz hw. induction c as [|a l]; simpl; [rewrite Rminus_0_r, Rabs_R0; lra|].
replace (z * (a + pol l z) - w * (a + pol l w)) with ((a + pol l z) * (z - w) + w * (pol l z - pol l w)) by ring.
eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult, (Rabs_pos_eq w) by lra.
pose proof (pol_size l z Z hz) as s. pose proof (Rabs_triang a (pol l z)) as t. pose proof (Rabs_pos (z - w)) as p.
assert (Rabs (a + pol l z) * Rabs (z - w) <= (Rabs a + size l Z) * Rabs (z - w)) by (apply Rmult_le_compat_r; lra).
assert (w * Rabs (pol l z - pol l w) <= Z * (lip l Z * Rabs (z - w))) by (apply Rmult_le_compat; try apply Rabs_pos; lra).
lra.
Qed.

(** A function whose derivative is > 0 increases. *)
Lemma increasing_strictly (f df : R -> R) r : (forall x, is_derive f x (df x)) -> (forall x, 0 <= x <= r -> 0 < df x) ->
  forall x y, 0 < x -> x < y -> y <= r -> f x < f y.
Proof.
intros hd hp x y h1 h2 h3. destruct (MVT_gen f x y df) as [c [hc e]].
- intros z _. apply hd.
- intros z _. apply continuity_pt_filterlim. refine (ex_derive_continuous f z _). exists (df z). apply hd.
- rewrite Rmin_left, Rmax_right in hc by lra. specialize (hp c ltac:(lra)). nra.
Qed.

Section Hyperbolic.
Variables (G S E : R -> R) (r chi b B reach clo cup mid half slack top : R) (c : list R) (M first steps off : nat).
Let last := (steps + off)%nat.
Hypothesis Hchi : 0 < chi < 1.
Hypothesis Hin : forall t, 0 < t <= r -> 0 < G t <= r.
Hypothesis HE : forall t, 0 < t <= r -> 0 <= E t.
Hypothesis Hd : forall t, 0 < t <= r -> Rabs (S (G t) - chi * S t) <= chi * E t - E (G t).
Hypothesis Hplus : forall s t, 0 < s -> s < t -> t <= r -> S s + E s < S t + E t.
Hypothesis Hminus : forall s t, 0 < s -> s < t -> t <= r -> S s - E s < S t - E t.
Hypothesis Hlow : forall z, 0 < z <= reach -> let y := pol c z - b * z ^ M in 0 < y <= r /\ S y + E y <= z.
Hypothesis Hupp : forall z, 0 < z <= reach -> let y := pol c z + b * z ^ M in 0 < y <= r /\ z <= S y - E y.
Hypothesis Hb : 0 <= b.
Hypothesis HB : b * cup ^ M <= B.
Hypothesis Hclo : 0 < clo.
Hypothesis Hmid : clo = mid - half /\ cup = mid + half.
Hypothesis Hslack : lip c cup * half <= slack.
Hypothesis Hreach : cup * chi ^ last <= reach.
Hypothesis Hoff : (off <= first)%nat.

(** What [run] shows. *)
Variables (prec : SFZ.precision) (ge x0e tope each re low upp : ex) (x0 : R).
Hypothesis Hge : forall x n, G x = evR ge x n.
Hypothesis Htop : forall x n, evR tope x n = top.
Hypothesis Hup : forall x y, 0 < x -> x <= y -> y <= top -> G x <= G y.
Hypothesis Hx0 : evR x0e 0 0 = x0.
Hypothesis Hre : forall x n, evR re x n = r.
Hypothesis Heach : forall x n, let w := exp (n * ln chi) in
  evR each x n = B * w ^ M - Rabs (x - pol c (mid * w)) - slack * w.
Hypothesis Hlowe : forall x n, evR low x n = S x - E x - clo * exp (n * ln chi).
Hypothesis Huppe : forall x n, evR upp x n = cup * exp (n * ln chi) - (S x + E x).
Hypothesis Hrun : run prec ge each tope (Sub re X :: low :: upp :: nil) (Z.of_nat first)
  (lowpt (evI prec x0e I.zero I.zero)) (uppt (evI prec x0e I.zero I.zero)) (Z.of_nat off) steps = true.

Lemma ran : (forall j, (j <= steps)%nat -> 0 < orbit G x0 j /\ dom ge (orbit G x0 j) (INR (j + off)) /\
    ((first <= j + off)%nat -> 0 < evR each (orbit G x0 j) (INR (j + off)))) /\
  (forall e, In e (Sub re X :: low :: upp :: nil) -> 0 < evR e (orbit G x0 steps) (INR last)).
Proof.
destruct (run_correct prec G ge tope top off Hge Htop Hup x0e x0e _ _ _ x0 _ ltac:(lra) Hrun) as [a d]. split; [|exact d].
intros j hj. destruct (a j hj) as [a1 [a2 a3]]. split; [exact a1|]. split; [exact a2|]. intros h. apply a3. lia.
Qed.
Lemma power n : exp (INR n * ln chi) = chi ^ n.
Proof. rewrite <- Rpower_pow by lra. reflexivity. Qed.
Lemma at_last_layer : 0 < orbit G x0 steps <= r /\
  clo * chi ^ last <= S (orbit G x0 steps) - E (orbit G x0 steps) /\ S (orbit G x0 steps) + E (orbit G x0 steps) <= cup * chi ^ last.
Proof.
destruct ran as [p h]. destruct (p steps (le_n _)) as [x1 _].
pose proof (h (Sub re X) ltac:(simpl; auto)) as h1. pose proof (h low ltac:(simpl; auto)) as h2. pose proof (h upp ltac:(simpl; auto)) as h3.
cbn [evR] in h1. rewrite Hre in h1. rewrite Hlowe, power in h2. rewrite Huppe, power in h3. lra.
Qed.
Lemma orbit_more i j : orbit G (orbit G x0 i) j = orbit G x0 (j + i).
Proof. induction j; simpl; [reflexivity | rewrite IHj; reflexivity]. Qed.
Lemma later j : (steps <= j)%nat -> 0 < orbit G x0 j <= r.
Proof.
intros h. replace j with (j - steps + steps)%nat by lia. rewrite <- orbit_more. apply orbit_in; [exact Hin | apply at_last_layer].
Qed.

(** Koenigs' constant. *)
Lemma constant : exists C, clo <= C <= cup /\ forall n, (last <= n)%nat ->
  Rabs (S (orbit G x0 (n - off)) - C * chi ^ n) <= E (orbit G x0 (n - off)).
Proof.
assert (cp : forall n, 0 < chi ^ n) by (intros; apply pow_lt; lra).
destruct (nested (fun n => S (orbit G x0 (n + steps)) / chi ^ (n + last)) (fun n => E (orbit G x0 (n + steps)) / chi ^ (n + last))) as [C hC].
- intros n. cbn [Nat.add orbit pow]. set (y := orbit G x0 (n + steps)). pose proof (later (n + steps) ltac:(lia)) as hy. fold y in hy.
  pose proof (cp (n + last)%nat) as p. set (w := chi ^ (n + last)) in *.
  replace (S (G y) / (chi * w) - S y / w) with ((S (G y) - chi * S y) / (chi * w)) by (field; lra).
  replace (E y / w - E (G y) / (chi * w)) with ((chi * E y - E (G y)) / (chi * w)) by (field; lra).
  unfold Rdiv. rewrite Rabs_mult. assert (i : 0 < / (chi * w)) by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra).
  rewrite (Rabs_pos_eq (/ _)) by lra. apply Rmult_le_compat_r; [lra | exact (Hd y hy)].
- intros n. apply Rmult_le_pos; [apply HE, later; lia | left; apply Rinv_0_lt_compat, cp].
- assert (h : forall n, (last <= n)%nat -> Rabs (S (orbit G x0 (n - off)) - C * chi ^ n) <= E (orbit G x0 (n - off))).
  { intros n hn. specialize (hC (n - last)%nat). cbv beta in hC. replace (n - last + last)%nat with n in hC by lia.
    replace (n - last + steps)%nat with (n - off)%nat in hC by (unfold last in *; lia). pose proof (cp n) as p.
    apply (Rmult_le_compat_r (chi ^ n)) in hC; [|lra]. rewrite <- (Rabs_pos_eq (chi ^ n)) in hC at 2 by lra.
    rewrite <- Rabs_mult in hC. replace ((S (orbit G x0 (n - off)) / chi ^ n - C) * chi ^ n)
      with (S (orbit G x0 (n - off)) - C * chi ^ n) in hC by (field; lra).
    replace (E (orbit G x0 (n - off)) / chi ^ n * chi ^ n) with (E (orbit G x0 (n - off))) in hC by (field; lra). exact hC. }
  exists C. split; [|exact h]. specialize (h last (le_n _)). replace (last - off)%nat with steps in h by (unfold last; lia).
  destruct at_last_layer as [_ [l u]]. apply Rabs_le_between in h. pose proof (cp last) as p.
  split; apply Rmult_le_reg_r with (chi ^ last); lra.
Qed.

Theorem hyperbolic : exists C, clo <= C <= cup /\ forall n, (first <= n)%nat ->
  Rabs (orbit G x0 (n - off) - pol c (C * chi ^ n)) <= B * (chi ^ n) ^ M.
Proof.
destruct constant as [C [hC h]]. exists C. split; [exact hC|]. intros n hn.
assert (p : 0 < chi ^ n <= 1) by (split; [apply pow_lt; lra | rewrite <- (pow1 n); apply pow_incr; lra]).
destruct (Nat.le_gt_cases last n) as [hl|hl].
- specialize (h n hl). pose proof (later (n - off) ltac:(unfold last in *; lia)) as hx. set (x := orbit G x0 (n - off)) in *.
  assert (pl : chi ^ n <= chi ^ last).
  { replace n with (last + (n - last))%nat by lia. rewrite pow_add. rewrite <- (Rmult_1_r (chi ^ last)) at 2.
    apply Rmult_le_compat_l; [apply pow_le; lra|]. rewrite <- (pow1 (n - last)). apply pow_incr; lra. }
  set (z := C * chi ^ n) in *.
  assert (z0 : 0 < z <= reach).
  { split; [apply Rmult_lt_0_compat; lra|]. eapply Rle_trans; [|exact Hreach]. apply Rmult_le_compat; lra. }
  apply Rabs_le_between in h. destruct (Hlow z z0) as [l1 l2]. destruct (Hupp z z0) as [u1 u2].
  assert (lo : pol c z - b * z ^ M <= x) by (destruct (Rle_lt_dec (pol c z - b * z ^ M) x) as [|w]; [assumption | pose proof (Hplus x _ (proj1 hx) w (proj2 l1)); lra]).
  assert (up : x <= pol c z + b * z ^ M) by (destruct (Rle_lt_dec x (pol c z + b * z ^ M)) as [|w]; [assumption | pose proof (Hminus _ x (proj1 u1) w (proj2 hx)); lra]).
  apply Rle_trans with (b * z ^ M); [apply Rabs_le; lra|]. unfold z. rewrite Rpow_mult_distr.
  assert (a1 : C ^ M <= cup ^ M) by (apply pow_incr; lra). assert (a2 : 0 <= (chi ^ n) ^ M) by (apply pow_le; lra).
  apply Rle_trans with (b * cup ^ M * (chi ^ n) ^ M); [|apply Rmult_le_compat_r; assumption].
  rewrite Rmult_assoc. apply Rmult_le_compat_l; [exact Hb|]. apply Rmult_le_compat_r; assumption.
- destruct ran as [a _]. destruct (a (n - off)%nat ltac:(unfold last in hl; lia)) as [_ [_ d]].
  replace (n - off + off)%nat with n in d by lia. specialize (d hn). rewrite Heach, power in d. cbv zeta in d.
  set (x := orbit G x0 (n - off)) in *. set (w := chi ^ n) in *.
  pose proof (pol_lip c (mid * w) (C * w) cup) as q.
  assert (m1 : 0 <= mid * w <= cup) by (split; [apply Rmult_le_pos; lra | nra]).
  assert (m2 : 0 <= C * w <= cup) by (split; [apply Rmult_le_pos; lra | nra]). specialize (q m1 m2).
  assert (s : Rabs (mid * w - C * w) <= half * w).
  { replace (mid * w - C * w) with ((mid - C) * w) by ring. rewrite Rabs_mult, (Rabs_pos_eq w) by lra.
    apply Rmult_le_compat_r; [lra|]. apply Rabs_le; lra. }
  assert (sw : lip c cup * half * w <= slack * w) by (apply Rmult_le_compat_r; lra).
  assert (k0 : 0 <= lip c cup).
  { clear - Hclo Hmid hC. assert (0 <= cup) by lra. assert (z : forall l, 0 <= size l cup).
    { induction l as [|a l]; simpl; [lra|]. pose proof (Rabs_pos a). apply Rmult_le_pos; lra. }
    induction c as [|a l]; simpl; [lra|]. pose proof (Rabs_pos a). pose proof (z l).
    assert (0 <= cup * lip l cup) by (apply Rmult_le_pos; assumption). lra. }
  assert (lip c cup * Rabs (mid * w - C * w) <= lip c cup * (half * w)) by (apply Rmult_le_compat_l; assumption).
  replace (x - pol c (C * w)) with ((x - pol c (mid * w)) + (pol c (mid * w) - pol c (C * w))) by ring.
  eapply Rle_trans; [apply Rabs_triang | lra].
Qed.

(** Every node of the map is inside its real domain at every layer. *)
Lemma domain : (forall x i, 0 < x <= r -> dom ge x i) -> forall j, dom ge (orbit G x0 j) (INR (j + off)).
Proof.
intros hd j. destruct (Nat.le_gt_cases j steps) as [h|h]; [apply ran; exact h | apply hd, later; lia].
Qed.

Theorem both : (forall x i, 0 < x <= r -> dom ge x i) -> (forall j, dom ge (orbit G x0 j) (INR (j + off))) /\
  exists C, clo <= C <= cup /\ forall n, (first <= n)%nat ->
    Rabs (orbit G x0 (n - off) - pol c (C * chi ^ n)) <= B * (chi ^ n) ^ M.
Proof. intros hd. exact (conj (domain hd) hyperbolic). Qed.
End Hyperbolic.
