(** From Taylor's formula and numbers to the two-term law: what a generated file has left to show.
    The map is g t = t (1 - t^m v(t, theta)) on (0, r] with an unknown theta in [tlo, thi]; A t = al / t^m + rho log t.
    Section [Defect]: one inequality between polynomials gives |A (g t) - A t - 1| <= K t^k - K (g t)^k.
    Section [Law]: one boolean of reflection ([run]) and six inequalities between numbers give the law for every layer. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Coquelicot Require Import Rcomplements.
Require Import ParabolicLemmas Bounds TwoTerm Finite.
Open Scope R_scope.

Section Defect.
Variables (g : R -> R) (v : R -> R -> R) (r al rho K y0 tlo thi : R) (m k J : nat).
Let y t th := t ^ m * v t th.
Let error t := K * t ^ k.

(** (1 - y)^m (A (g t) - A t - 1), where log (1 - y) = - lnp J y - ph y^(J+1). *)
Definition defect_top (t th ph : R) :=
  al * v t th * geo m (1 - y t th) + (rho * (- lnp J (y t th) - ph * y t th ^ S J) - 1) * (1 - y t th) ^ m.
(** The same of K t^k - K (g t)^k, over t^(k+m). *)
Definition room (t th : R) := K * v t th * geo k (1 - y t th) * (1 - y t th) ^ m.

Hypothesis HK : 0 <= K.
Hypothesis Hy0 : y0 < 1.
Hypothesis Hg : forall t, 0 < t <= r -> exists th, tlo <= th <= thi /\ g t = t * (1 - t ^ m * v t th).
Hypothesis Hv : forall t th, 0 < t <= r -> tlo <= th <= thi -> 0 <= t ^ m * v t th <= y0.
Hypothesis Hroom : forall t th ph, 0 < t <= r -> tlo <= th <= thi -> 0 <= ph <= / (INR (S J) * (1 - y0)) ->
  Rabs (defect_top t th ph) <= t ^ (k + m) * room t th.

Lemma map_in t : 0 < t <= r -> 0 < g t <= r.
Proof. intros h. destruct (Hg t h) as [th [h1 ->]]. pose proof (Hv t th h h1). split; nra. Qed.
Lemma error_pos t : 0 < t <= r -> 0 <= error t.
Proof. intros h. apply Rmult_le_pos; [exact HK | apply pow_le; lra]. Qed.

Lemma one_minus_pow j x : 1 - (1 - x) ^ j = x * geo j (1 - x).
Proof. rewrite <- (geo_eq j (1 - x)). ring. Qed.

Theorem defect t : 0 < t <= r -> Rabs (Aab al rho m (g t) - Aab al rho m t - 1) <= error t - error (g t).
Proof.
intros h. destruct (Hg t h) as [th [h1 e]]. pose proof (Hv t th h h1) as hy. fold (y t th) in hy, e.
destruct (ln_taylor J (y t th) y0 hy Hy0) as [ph [hph hl]]. specialize (Hroom t th ph h h1 hph).
set (z := y t th) in *. assert (t0 : 0 < t ^ m) by (apply pow_lt; lra). assert (z0 : 0 < (1 - z) ^ m) by (apply pow_lt; lra).
assert (a : Aab al rho m (g t) - Aab al rho m t - 1 = defect_top t th ph / (1 - z) ^ m).
{ unfold Aab, defect_top. fold z. rewrite e, Rpow_mult_distr, ln_mult, hl by lra.
  replace (al * v t th * geo m (1 - z)) with (al / t ^ m * (z * geo m (1 - z))) by (unfold z, y; field; lra).
  rewrite <- one_minus_pow. field. lra. }
assert (b : error t - error (g t) = t ^ (k + m) * room t th / (1 - z) ^ m).
{ unfold error, room. fold z. rewrite e, Rpow_mult_distr.
  replace (K * t ^ k - K * (t ^ k * (1 - z) ^ k)) with (K * t ^ k * (1 - (1 - z) ^ k)) by ring.
  rewrite one_minus_pow, pow_add. unfold z at 1, y. field. lra. }
rewrite a, b. unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ _)) by (left; apply Rinv_0_lt_compat; exact z0).
apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; exact z0 | exact Hroom].
Qed.
End Defect.

(** (al / n)^(1/m) and n^(1/m) as they are printed. *)
Definition root (m : nat) (x : R) : R := match m with 1 => x | 2 => sqrt x | _ => Rpower x (/ INR m) end.
Lemma root_eq m x : (0 < m)%nat -> 0 < x -> root m x = Rpower x (/ INR m).
Proof.
intros hm h. destruct m as [|[|[|m]]]; [lia| | |reflexivity]; simpl.
- rewrite Rinv_1, Rpower_1; auto.
- replace (/ (1 + 1)) with (/ 2) by lra. rewrite Rpower_sqrt; auto.
Qed.
Lemma root_pos m x : (0 < m)%nat -> 0 < x -> 0 < root m x.
Proof. intros. rewrite root_eq by assumption. apply exp_pos. Qed.
Lemma root_div m x z : (0 < m)%nat -> 0 < x -> 0 < z -> root m (x / z) = root m x / root m z.
Proof.
intros hm hx hz. rewrite !root_eq by (try apply Rdiv_lt_0_compat; assumption).
unfold Rpower, Rdiv. rewrite ln_mult, ln_Rinv, <- exp_Ropp, <- exp_plus by (try apply Rinv_0_lt_compat; assumption).
f_equal. ring.
Qed.

(** The same as formulas for [run]; x^m likewise. *)
Definition roote (m : nat) (a : ex) : ex :=
  match m with 1 => a | 2 => Sqrt a | _ => Exp (Div (Ln a) (Cst (Z.of_nat m))) end.
Lemma roote_eq m a x n : (0 < m)%nat -> evR (roote m a) x n = root m (evR a x n).
Proof.
intros hm. destruct m as [|[|[|m]]]; [lia|reflexivity|reflexivity|].
cbn [roote evR root]. unfold Rpower. rewrite <- INR_IZR_INZ. f_equal. unfold Rdiv. ring.
Qed.
Definition terms (m : nat) (al l1 : ex) : ex := Mul (roote m (Div al N)) (Sub (Cst 1) (Div (Mul l1 (Ln N)) N)).
Definition gap (m : nat) (al l1 B : ex) : ex := Sub B (Mul (Abs (Sub X (terms m al l1))) (Mul N (roote m N))).
Definition Ae (m : nat) (al rho : ex) : ex := Sub (Add (Div al (Pow X m)) (Mul rho (Ln X))) N.
Definition Ee (k : nat) (K : ex) : ex := Mul K (Pow X k).
Definition at_last (m k : nat) (al rho K clo chi r : ex) : list ex :=
  X :: Sub r X :: Sub (Sub (Ae m al rho) (Ee k K)) clo :: Sub chi (Add (Ae m al rho) (Ee k K)) :: nil.

Section Law.
Variables (g : R -> R) (x0 r al rho K l1 B b W clo chi : R) (m k first last : nat).
Hypothesis Hm : (0 < m)%nat.
Hypothesis Hal : 0 < al.
Hypothesis HK : 0 <= K.
Hypothesis Hin : forall t, 0 < t <= r -> 0 < g t <= r.
Hypothesis Hd : forall t, 0 < t <= r -> Rabs (Aab al rho m (g t) - Aab al rho m t - 1) <= K * t ^ k - K * g t ^ k.
Hypothesis Hl1 : l1 = rho / INR m ^ 2.
Hypothesis Hlast : (8 <= last)%nat.
Hypothesis Hfirst : (1 <= first)%nat.
Hypothesis Hmono : Rabs rho * r ^ m < INR m * al.

(** What [run] shows. *)
Variables (prec : SFZ.precision) (ge x0e re ale rhoe l1e Ke Be cloe chie : ex).
Hypothesis Hge : forall x n, g x = evR ge x n.
Hypothesis Hx0 : evR x0e 0 0 = x0.
Hypothesis Hre : forall x n, evR re x n = r.
Hypothesis Hale : forall x n, evR ale x n = al.
Hypothesis Hrhoe : forall x n, evR rhoe x n = rho.
Hypothesis Hl1e : forall x n, evR l1e x n = l1.
Hypothesis HKe : forall x n, evR Ke x n = K.
Hypothesis HBe : forall x n, evR Be x n = B.
Hypothesis Hcloe : forall x n, evR cloe x n = clo.
Hypothesis Hchie : forall x n, evR chie x n = chi.
Hypothesis Hrun : run prec ge (gap m ale l1e Be) (at_last m k ale rhoe Ke cloe chie re) (Z.of_nat first)
  (evI prec x0e I.zero I.zero) 0 last = true.

(** The inequalities between numbers, n being the last layer that is computed. *)
Let n := INR last.
Hypothesis Hb : 0 < b.
Hypothesis HB : b * root m al <= B.
Hypothesis HW : Rabs rho / INR m ^ 2 * ln n + b <= W * n.
Hypothesis HW1 : W < 1.
Hypothesis Hr : al * (1 + W) ^ m <= n * r ^ m.
Hypothesis Hlow : chi < INR m * b + rho / INR m * ln al - Rabs rho * (W / (1 - W)).
Hypothesis Hupp : - (INR m * b) + rho / INR m * ln al
   + INR m * INR (S m) / 2 * ((Rabs rho / INR m ^ 2 * ln n + b) ^ 2 / n) * (/ (1 - W)) ^ m + Rabs rho * (W / (1 - W)) < clo.

Lemma at_last_layer : 0 < orbit g x0 last <= r /\
  clo <= Aab al rho m (orbit g x0 last) - n - K * orbit g x0 last ^ k /\
  Aab al rho m (orbit g x0 last) - n + K * orbit g x0 last ^ k <= chi.
Proof.
destruct (run_correct prec g ge x0 Hge x0e _ _ _ _ Hx0 Hrun) as [_ h].
pose proof (h X ltac:(simpl; auto)) as h1. pose proof (h (Sub re X) ltac:(simpl; auto)) as h2.
pose proof (h (Sub (Sub (Ae m ale rhoe) (Ee k Ke)) cloe) ltac:(simpl; auto)) as h3.
pose proof (h (Sub chie (Add (Ae m ale rhoe) (Ee k Ke))) ltac:(simpl; auto 6)) as h4.
unfold Ae, Ee in *. cbn [evR] in *. rewrite ?Hre, ?Hale, ?Hrhoe, ?HKe, ?Hcloe, ?Hchie in *. unfold Aab, n. lra.
Qed.

Lemma orbit_add j : orbit g (orbit g x0 last) j = orbit g x0 (j + last).
Proof. induction j; simpl; [reflexivity | rewrite IHj; reflexivity]. Qed.

(** Every node of the map is inside its real domain at every layer. *)
Lemma domain : (forall x i, 0 < x <= r -> dom ge x i) -> forall j, dom ge (orbit g x0 j) (INR j).
Proof.
intros hd j. destruct (Nat.le_gt_cases j last) as [h|h].
- apply (run_correct prec g ge x0 Hge x0e _ _ _ _ Hx0 Hrun); exact h.
- apply hd. replace j with (j - last + last)%nat by lia. rewrite <- orbit_add.
  apply orbit_in; [exact Hin | apply at_last_layer].
Qed.

(** Abel's constant, with its enclosure. *)
Lemma constant : exists C, clo <= C <= chi /\
  forall j, (last <= j)%nat -> Rabs (Aab al rho m (orbit g x0 j) - INR j - C) <= K * orbit g x0 j ^ k.
Proof.
destruct at_last_layer as [hx [h1 h2]].
destruct (abel g (Aab al rho m) (fun t => K * t ^ k) r Hin) with (t := orbit g x0 last) as [C hC]; [|exact Hd|exact hx|].
- intros t ht. apply Rmult_le_pos; [exact HK | apply pow_le; lra].
- exists (C - n). split.
  + specialize (hC O). simpl in hC. apply Rabs_le_between in hC. lra.
  + intros j hj. specialize (hC (j - last)%nat). rewrite orbit_add in hC. replace (j - last + last)%nat with j in hC by lia.
    replace (Aab al rho m (orbit g x0 j) - INR j - (C - n)) with (Aab al rho m (orbit g x0 j) - INR (j - last) - C);
      [exact hC|]. rewrite minus_INR by exact hj. unfold n. ring.
Qed.

Lemma tail j : (last <= j)%nat ->
  Rabs (orbit g x0 j - root m (al / INR j) * (1 - l1 * ln (INR j) / INR j)) <= B / (INR j * root m (INR j)).
Proof.
intros hj. destruct at_last_layer as [hx [h1 h2]]. assert (j0 : 0 < INR j) by (apply lt_0_INR; lia).
pose proof (two_term_law_from g (fun t => K * t ^ k) r al rho m Hm Hal Hin) as T.
specialize (T ltac:(intros t ht; apply Rmult_le_pos; [exact HK | apply pow_le; lra]) Hd Hmono (orbit g x0 last) O last clo chi b W hx ltac:(lia)).
cbn [orbit] in T. rewrite Nat.add_0_l in T. fold n in T.
specialize (T h1 h2 Hb HW HW1 Hr Hlow Hupp (j - last)%nat ltac:(lia)).
rewrite orbit_add in T. replace (j - last + last)%nat with j in T by lia. rewrite <- Hl1 in T.
unfold ypt in T. rewrite <- root_eq in T by (try apply Rdiv_lt_0_compat; assumption).
eapply Rle_trans; [exact T|]. rewrite root_div by assumption.
pose proof (root_pos m (INR j) Hm j0) as p. apply Rmult_le_reg_r with (INR j * root m (INR j)); [nra|].
replace (b * (root m al / root m (INR j)) / INR j * (INR j * root m (INR j))) with (b * root m al) by (field; lra).
replace (B / (INR j * root m (INR j)) * (INR j * root m (INR j))) with B by (field; lra). exact HB.
Qed.

Lemma law : forall j, (first <= j)%nat ->
  Rabs (orbit g x0 j - root m (al / INR j) * (1 - l1 * ln (INR j) / INR j)) <= B / (INR j * root m (INR j)).
Proof.
intros j hj. destruct (Nat.le_gt_cases last j) as [h|h]; [exact (tail j h)|].
destruct (run_correct prec g ge x0 Hge x0e _ _ _ _ Hx0 Hrun) as [a _]. destruct (a j ltac:(lia)) as [_ d].
specialize (d ltac:(lia)). unfold gap, terms in d. cbn [evR] in d. rewrite !roote_eq in d by exact Hm. cbn [evR] in d.
rewrite Hale, Hl1e, HBe in d. assert (j0 : 0 < INR j) by (apply lt_0_INR; lia).
pose proof (root_pos m (INR j) Hm j0) as p. apply Rmult_le_reg_r with (INR j * root m (INR j)); [nra|].
replace (B / (INR j * root m (INR j)) * (INR j * root m (INR j))) with B by (field; lra). lra.
Qed.

Theorem two_terms : (forall x i, 0 < x <= r -> dom ge x i) ->
  (forall j, dom ge (orbit g x0 j) (INR j)) /\
  (exists C, clo <= C <= chi /\
    forall j, (last <= j)%nat -> Rabs (Aab al rho m (orbit g x0 j) - INR j - C) <= K * orbit g x0 j ^ k) /\
  (forall j, (first <= j)%nat ->
    Rabs (orbit g x0 j - root m (al / INR j) * (1 - l1 * ln (INR j) / INR j)) <= B / (INR j * root m (INR j))).
Proof. intros hd. exact (conj (domain hd) (conj constant law)). Qed.
End Law.
