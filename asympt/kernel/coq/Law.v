(** From Taylor's formula and numbers to the two-term law: what a generated file has left to show.
    The map is x' = G (x^(1/q)); with t = x^(1/q) it is g t = (G t)^(1/q), and A t = al / t^m + rho log t.
    Sections [Defect], q = 1, G t = t (1 - t^m v(t, theta)) on (0, r] with an unknown theta in [tlo, thi], and [DefectRoot],
    q = 2, m = 1, G t = t^2 (1 - t v(t, theta)): one inequality between polynomials gives
    |A (g t) - A t - 1| <= K t^k - K (g t)^k.
    Section [Law]: one boolean of reflection ([run]) and six inequalities between numbers give the law for every layer. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Coquelicot Require Import Coquelicot.
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

(** The root of 1 - y, to third order. *)
Lemma sqrt_taylor y y0 : 0 <= y <= y0 -> y0 < 1 ->
  exists psi, 0 <= psi <= / (2 * (2 - y0) ^ 3) /\ sqrt (1 - y) = 1 - y / 2 - y ^ 2 / 8 - psi * y ^ 3.
Proof.
intros hy h0. set (s := sqrt (1 - y)). assert (s2 : s * s = 1 - y) by (apply sqrt_sqrt; lra).
assert (s0 : 0 <= s) by apply sqrt_pos. assert (s1 : s <= 1) by nra.
set (u := 1 - s). assert (uy : u <= y) by (unfold u; nra). assert (e : y = u * (2 - u)) by (unfold u; nra).
assert (d : 0 < (2 - u) ^ 3) by (apply pow_lt; unfold u; lra). assert (d0 : 0 < (2 - y0) ^ 3) by (apply pow_lt; lra).
assert (dd : (2 - y0) ^ 3 <= (2 - u) ^ 3) by (apply pow_incr; lra).
exists ((4 - u) / (8 * (2 - u) ^ 3)). split; [split|].
- apply Rmult_le_pos; [unfold u; lra | left; apply Rinv_0_lt_compat; lra].
- apply Rle_trans with (/ (2 * (2 - u) ^ 3)); [|apply Rinv_le_contravar; lra].
  apply Rmult_le_reg_r with (8 * (2 - u) ^ 3); [lra|].
  replace ((4 - u) / (8 * (2 - u) ^ 3) * (8 * (2 - u) ^ 3)) with (4 - u) by (field; unfold u; lra).
  replace (/ (2 * (2 - u) ^ 3) * (8 * (2 - u) ^ 3)) with 4 by (field; unfold u; lra). unfold u; lra.
- replace s with (1 - u) by (unfold u; ring). rewrite e. field. unfold u; lra.
Qed.

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

Lemma root_pow q x : (0 < q)%nat -> 0 < x -> root q x ^ q = x.
Proof.
intros hq h. rewrite root_eq, <- Rpower_pow, Rpower_mult, Rinv_l, Rpower_1 by (try apply exp_pos; try apply not_0_INR; try lia; assumption).
reflexivity.
Qed.
Lemma pow_root q t : (0 < q)%nat -> 0 < t -> root q (t ^ q) = t.
Proof.
intros hq h. rewrite root_eq, <- Rpower_pow, Rpower_mult, Rinv_r, Rpower_1 by (try apply pow_lt; try apply not_0_INR; try lia; assumption).
reflexivity.
Qed.
Lemma root_le q x y : (0 < q)%nat -> 0 < x -> x <= y -> root q x <= root q y.
Proof.
intros hq h1 h2. rewrite !root_eq by (assumption || lra). apply Rle_Rpower_l; [|lra].
left. apply Rinv_0_lt_compat, lt_0_INR. exact hq.
Qed.

(** A function whose derivative is >= 0 increases. *)
Lemma increasing (f df : R -> R) T :
  (forall x, 0 <= x <= T -> is_derive f x (df x)) -> (forall x, 0 <= x <= T -> 0 <= df x) ->
  forall x y, 0 <= x -> x <= y -> y <= T -> f x <= f y.
Proof.
intros hd hp x y h1 h2 h3. destruct (MVT_gen f x y df) as [c [hc e]].
- intros z hz. rewrite Rmin_left, Rmax_right in hz by lra. apply hd; lra.
- intros z hz. rewrite Rmin_left, Rmax_right in hz by lra. apply continuity_pt_filterlim.
  refine (ex_derive_continuous f z _). exists (df z). apply hd; lra.
- rewrite Rmin_left, Rmax_right in hc by lra. specialize (hp c ltac:(lra)). nra.
Qed.

Lemma root_up (G dG : R -> R) T q : (0 < q)%nat -> 0 <= T ->
  (forall x, 0 <= x <= T -> is_derive G x (dG x)) -> (forall x, 0 <= x <= T -> 0 <= dG x) ->
  forall x y, 0 < x -> x <= y -> y <= T ^ q -> G (root q x) <= G (root q y).
Proof.
intros hq hT hd hp x y h1 h2 h3. apply (increasing G dG T hd hp).
- left. apply root_pos; assumption.
- apply root_le; assumption.
- destruct hT as [hT|<-]; [|rewrite pow_i in h3 by exact hq; lra].
  rewrite <- (pow_root q T hq hT). apply root_le; [exact hq | lra | exact h3].
Qed.

Section DefectRoot.
Variables (G : R -> R) (v : R -> R -> R) (r al rho K y0 tlo thi : R) (k J : nat).
Let y t th := t * v t th.
Let g t := root 2 (G t).

(** (1 - y) (A (g t) - A t - 1), where g t = t s, s^2 = 1 - y, s = 1 - y/2 - y^2/8 - ps y^3. *)
Definition root_top (t th ph ps : R) :=
  al * v t th * (1/2 - y t th / 8 - ps * y t th ^ 2)
  + (rho / 2 * (- lnp J (y t th) - ph * y t th ^ S J) - 1) * (1 - y t th).
(** At most the same of K t^k - K (g t)^k, over t^(k+1). *)
Definition root_room (t th : R) := K * v t th / 2 * (1 - y t th).

Hypothesis HK : 0 <= K.
Hypothesis Hk : (0 < k)%nat.
Hypothesis Hy0 : y0 < 1.
Hypothesis HG : forall t, 0 < t <= r -> exists th, tlo <= th <= thi /\ G t = t ^ 2 * (1 - t ^ 1 * v t th).
Hypothesis Hv : forall t th, 0 < t <= r -> tlo <= th <= thi -> 0 <= t ^ 1 * v t th <= y0.
Hypothesis Hroom : forall t th ph ps, 0 < t <= r -> tlo <= th <= thi -> 0 <= ph <= / (INR (S J) * (1 - y0)) ->
  0 <= ps <= / (2 * (2 - y0) ^ 3) -> Rabs (root_top t th ph ps) <= t ^ (k + 1) * root_room t th.

Lemma root_step t : 0 < t <= r -> exists th, tlo <= th <= thi /\ 0 <= y t th <= y0 /\ G t = t ^ 2 * (1 - y t th) /\
  g t = t * sqrt (1 - y t th).
Proof.
intros h. destruct (HG t h) as [th [h1 e]]. pose proof (Hv t th h h1) as hy. rewrite pow_1 in e, hy. fold (y t th) in e, hy.
exists th. split; [exact h1|]. split; [exact hy|]. split; [exact e|]. unfold g. simpl root. rewrite e, sqrt_mult, sqrt_pow2 by (try apply pow2_ge_0; lra).
reflexivity.
Qed.
Lemma root_in t : 0 < t <= r -> 0 < g t <= r /\ 0 < G t.
Proof.
intros h. destruct (root_step t h) as [th [_ [hy [e ->]]]]. rewrite e.
assert (s0 : 0 < sqrt (1 - y t th)) by (apply sqrt_lt_R0; lra).
assert (s2 : sqrt (1 - y t th) * sqrt (1 - y t th) = 1 - y t th) by (apply sqrt_sqrt; lra).
split; [split; nra|]. apply Rmult_lt_0_compat; [apply pow_lt; lra | lra].
Qed.

Theorem root_defect t : 0 < t <= r -> Rabs (Aab al rho 1 (g t) - Aab al rho 1 t - 1) <= K * t ^ k - K * g t ^ k.
Proof.
intros h. destruct (root_step t h) as [th [h1 [hy [_ e]]]].
destruct (ln_taylor J (y t th) y0 hy Hy0) as [ph [hph hl]]. destruct (sqrt_taylor (y t th) y0 hy Hy0) as [ps [hps hs]].
specialize (Hroom t th ph ps h h1 hph hps). set (z := y t th) in *. set (s := sqrt (1 - z)) in *.
assert (s0 : 0 < s) by (apply sqrt_lt_R0; lra). assert (s2 : s * s = 1 - z) by (apply sqrt_sqrt; lra). assert (s1 : s <= 1) by nra.
assert (ls : ln s = ln (1 - z) / 2) by (rewrite <- s2, ln_mult by assumption; field).
assert (tz : t * v t th = z) by reflexivity.
assert (a : Aab al rho 1 (g t) - Aab al rho 1 t - 1 = root_top t th ph ps / (1 - z)).
{ unfold Aab, root_top. fold z. rewrite e, ln_mult, ls, hl, !pow_1 by lra.
  replace (al * v t th) with (al * z / t) by (rewrite <- tz; field; lra).
  apply Rmult_eq_reg_r with (1 - z); [|lra]. replace (al / (t * s)) with (al * s / (t * (s * s))) by (field; lra).
  rewrite s2. replace (al * s / (t * (1 - z))) with (al * (1 - z / 2 - z ^ 2 / 8 - ps * z ^ 3) / (t * (1 - z))) by (rewrite <- hs; reflexivity).
  field. lra. }
assert (sk : s ^ k <= s).
{ destruct k; [lia|]. simpl. rewrite <- (Rmult_1_r s) at 3. apply Rmult_le_compat_l; [lra|]. rewrite <- (pow1 n). apply pow_incr; lra. }
assert (tk : 0 < t ^ k) by (apply pow_lt; lra).
assert (b : t ^ (k + 1) * root_room t th / (1 - z) <= K * t ^ k - K * g t ^ k).
{ unfold root_room. fold z. rewrite e, Rpow_mult_distr.
  replace (t ^ (k + 1) * (K * v t th / 2 * (1 - z)) / (1 - z)) with (K * t ^ k * (z / 2)) by (rewrite pow_add, pow_1, <- tz; field; lra).
  replace (K * t ^ k - K * (t ^ k * s ^ k)) with (K * t ^ k * (1 - s ^ k)) by ring.
  apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|]. nra. }
eapply Rle_trans; [|exact b]. rewrite a. unfold Rdiv.
rewrite Rabs_mult, (Rabs_pos_eq (/ _)) by (left; apply Rinv_0_lt_compat; lra).
apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra | exact Hroom].
Qed.
End DefectRoot.

(** x^q as it is printed. *)
Definition pw (q : nat) (x : R) : R := match q with 1 => x | _ => x ^ q end.
Lemma pw_eq q x : (0 < q)%nat -> pw q x = x ^ q.
Proof. intros h. destruct q as [|[|q]]; [lia | simpl; ring | reflexivity]. Qed.
Definition pwe (q : nat) (a : ex) : ex := match q with 1 => a | _ => Pow a q end.
Lemma pwe_eq q a x n : (0 < q)%nat -> evR (pwe q a) x n = pw q (evR a x n).
Proof. intros h. destruct q as [|[|q]]; [lia | reflexivity | reflexivity]. Qed.

(** The same as formulas for [run]. *)
Definition roote (m : nat) (a : ex) : ex :=
  match m with 1 => a | 2 => Sqrt a | _ => Exp (Div (Ln a) (Cst (Z.of_nat m))) end.
Lemma roote_eq m a x n : (0 < m)%nat -> evR (roote m a) x n = root m (evR a x n).
Proof.
intros hm. destruct m as [|[|[|m]]]; [lia|reflexivity|reflexivity|].
cbn [roote evR root]. unfold Rpower. rewrite <- INR_IZR_INZ. f_equal. unfold Rdiv. ring.
Qed.
Lemma roote_dom m a x n : (0 < m)%nat -> dom a x n -> 0 < evR a x n -> dom (roote m a) x n.
Proof.
intros hm h1 h2. destruct m as [|[|[|m]]]; [lia | exact h1 | exact (conj h1 h2) |].
cbn [roote dom evR]. split; [exact (conj h1 h2)|]. split; [exact Logic.I | apply not_0_IZR; lia].
Qed.
Definition terms (q m : nat) (al l1 : ex) : ex := Mul (pwe q (roote m (Div al N))) (Sub (Cst 1) (Div (Mul l1 (Ln N)) N)).
Definition gap (q m : nat) (al l1 B : ex) : ex := Sub B (Mul (Abs (Sub X (terms q m al l1))) (Mul N (pwe q (roote m N)))).
Definition Ae (m : nat) (al rho T : ex) : ex := Sub (Add (Div al (Pow T m)) (Mul rho (Ln T))) N.
Definition Ee (k : nat) (K T : ex) : ex := Mul K (Pow T k).
Definition at_last (q m k : nat) (al rho K clo chi r : ex) : list ex :=
  let T := roote q X in let A := Ae m al rho T in let E := Ee k K T in
  Sub r T :: Sub (Sub A E) clo :: Sub chi (Add A E) :: nil.

Section Law.
Variables (G : R -> R) (r al rho K l1 B b W clo chi top : R) (q m k first steps off : nat).
Let f x := G (root q x).
Let g t := root q (G t).
Let last := (steps + off)%nat.
Hypothesis Hq : (0 < q)%nat.
Hypothesis Hm : (0 < m)%nat.
Hypothesis Hal : 0 < al.
Hypothesis HK : 0 <= K.
Hypothesis HG : forall t, 0 < t <= r -> 0 < G t.
Hypothesis Hin : forall t, 0 < t <= r -> 0 < g t <= r.
Hypothesis Hd : forall t, 0 < t <= r -> Rabs (Aab al rho m (g t) - Aab al rho m t - 1) <= K * t ^ k - K * g t ^ k.
Hypothesis Hl1 : l1 = INR q * (rho / INR m ^ 2).
Hypothesis Hlast : (8 <= last)%nat.
Hypothesis Hfirst : (1 <= first)%nat.
Hypothesis Hoff : (off <= first)%nat.
Hypothesis Hmono : Rabs rho * r ^ m < INR m * al.

(** What [run] shows. *)
Variables (prec : SFZ.precision) (ge loe hie tope re ale rhoe l1e Ke Be cloe chie : ex).
Let fe := subst ge (roote q X).
Hypothesis Hge : forall t n, G t = evR ge t n.
Hypothesis Htop : forall x n, evR tope x n = top.
Hypothesis Hup : forall x y, 0 < x -> x <= y -> y <= top -> f x <= f y.
Hypothesis Hre : forall x n, evR re x n = r.
Hypothesis Hale : forall x n, evR ale x n = al.
Hypothesis Hrhoe : forall x n, evR rhoe x n = rho.
Hypothesis Hl1e : forall x n, evR l1e x n = l1.
Hypothesis HKe : forall x n, evR Ke x n = K.
Hypothesis HBe : forall x n, evR Be x n = B.
Hypothesis Hcloe : forall x n, evR cloe x n = clo.
Hypothesis Hchie : forall x n, evR chie x n = chi.
Hypothesis Hrun : run prec fe (gap q m ale l1e Be) tope (at_last q m k ale rhoe Ke cloe chie re) (Z.of_nat first)
  (lowpt (evI prec loe I.zero I.zero)) (uppt (evI prec hie I.zero I.zero)) (Z.of_nat off) steps = true.

(** The inequalities between numbers, n being the last layer that is computed. *)
Let n := INR last.
Hypothesis Hb : 0 < b.
Hypothesis HB : (INR q * b + INR q * (INR q - 1) / 2 * ((Rabs rho / INR m ^ 2 * ln n + b) ^ 2 / n) * (1 + W) ^ q) * root m al ^ q <= B.
Hypothesis HW : Rabs rho / INR m ^ 2 * ln n + b <= W * n.
Hypothesis HW1 : W < 1.
Hypothesis Hr : al * (1 + W) ^ m <= n * r ^ m.
Hypothesis Hlow : chi < INR m * b + rho / INR m * ln al - Rabs rho * (W / (1 - W)).
Hypothesis Hupp : - (INR m * b) + rho / INR m * ln al
   + INR m * INR (S m) / 2 * ((Rabs rho / INR m ^ 2 * ln n + b) ^ 2 / n) * (/ (1 - W)) ^ m + Rabs rho * (W / (1 - W)) < clo.

Lemma f_fe x i : f x = evR fe x i.
Proof. unfold f, fe. rewrite evR_subst, roote_eq by exact Hq. apply Hge. Qed.

(** The orbit in x, and in t. *)
Lemma orbit_t t j : 0 < t <= r -> orbit f (t ^ q) j = orbit g t j ^ q.
Proof.
intros h. induction j; [reflexivity|]. simpl. rewrite IHj. pose proof (orbit_in g r Hin t j h) as o.
set (u := orbit g t j) in *. unfold f, g. rewrite pow_root by (exact Hq || lra). symmetry. exact (root_pow q _ Hq (HG u o)).
Qed.
Lemma orbit_add x i j : orbit f (orbit f x i) j = orbit f x (j + i).
Proof. induction j; simpl; [reflexivity | rewrite IHj; reflexivity]. Qed.

Variable x0 : R.
Hypothesis Hx0 : evR loe 0 0 <= x0 <= evR hie 0 0.
Let tl := root q (orbit f x0 steps).

Lemma ran : (forall j, (j <= steps)%nat -> 0 < orbit f x0 j /\ dom fe (orbit f x0 j) (INR (j + off)) /\
    ((first <= j + off)%nat -> 0 < evR (gap q m ale l1e Be) (orbit f x0 j) (INR (j + off)))) /\
  (forall e, In e (at_last q m k ale rhoe Ke cloe chie re) -> 0 < evR e (orbit f x0 steps) n).
Proof.
destruct (run_correct prec f fe tope top off f_fe Htop Hup loe hie _ _ _ x0 _ Hx0 Hrun) as [a c]. split; [|exact c].
intros j hj. destruct (a j hj) as [a1 [a2 a3]]. split; [exact a1|]. split; [exact a2|]. intros h. apply a3. lia.
Qed.

Lemma at_last_layer : 0 < tl <= r /\ tl ^ q = orbit f x0 steps /\
  clo <= Aab al rho m tl - n - K * tl ^ k /\ Aab al rho m tl - n + K * tl ^ k <= chi.
Proof.
destruct ran as [p h]. destruct (p steps (le_n _)) as [x1 _]. unfold at_last in h.
set (A := Ae m ale rhoe (roote q X)) in h. set (E := Ee k Ke (roote q X)) in h.
pose proof (h (Sub re (roote q X)) ltac:(simpl; auto)) as h2.
pose proof (h (Sub (Sub A E) cloe) ltac:(simpl; auto)) as h3.
pose proof (h (Sub chie (Add A E)) ltac:(simpl; auto 6)) as h4.
unfold A, Ae, E, Ee in *. cbn [evR] in *. rewrite ?roote_eq, ?Hre, ?Hale, ?Hrhoe, ?HKe, ?Hcloe, ?Hchie in * by exact Hq.
cbn [evR] in *. fold tl in h2, h3, h4. pose proof (root_pos q _ Hq x1) as p1. fold tl in p1.
split; [lra|]. split; [exact (root_pow q _ Hq x1)|]. unfold Aab. lra.
Qed.

(** Later layers: those of t. *)
Lemma later j : (last <= j)%nat -> orbit f x0 (j - off) = orbit g tl (j - last) ^ q /\ 0 < orbit g tl (j - last) <= r.
Proof.
intros h. destruct at_last_layer as [h1 [h2 _]]. split; [|exact (orbit_in g r Hin tl _ h1)].
rewrite <- (orbit_t tl _ h1), h2, orbit_add. f_equal. unfold last in *. lia.
Qed.

(** Every node of the map is inside its real domain at every layer. *)
Lemma domain : (forall t i, 0 < t <= r -> dom ge t i) -> forall j, dom fe (orbit f x0 j) (INR (j + off)).
Proof.
intros hd j. destruct (Nat.le_gt_cases j steps) as [h|h]; [apply ran; exact h|].
destruct (later (j + off) ltac:(unfold last; lia)) as [e o]. replace (j + off - off)%nat with j in e by lia.
set (t := orbit g tl (j + off - last)) in *. assert (p : 0 < t ^ q) by (apply pow_lt; lra). rewrite e.
apply dom_subst; [apply roote_dom; [exact Hq | exact Logic.I | exact p]|]. rewrite roote_eq by exact Hq. cbn [evR].
rewrite pow_root by (exact Hq || lra). apply hd. lra.
Qed.

(** Abel's constant, with its enclosure. *)
Lemma constant : exists C, clo <= C <= chi /\
  forall j, (last <= j)%nat -> Rabs (Aab al rho m (root q (orbit f x0 (j - off))) - INR j - C) <= K * root q (orbit f x0 (j - off)) ^ k.
Proof.
destruct at_last_layer as [hx [_ [h1 h2]]].
destruct (abel g (Aab al rho m) (fun t => K * t ^ k) r Hin) with (t := tl) as [C hC]; [|exact Hd|exact hx|].
- intros t ht. apply Rmult_le_pos; [exact HK | apply pow_le; lra].
- exists (C - n). split.
  + specialize (hC O). simpl in hC. apply Rabs_le_between in hC. lra.
  + intros j hj. specialize (hC (j - last)%nat). destruct (later j hj) as [e o]. rewrite e, pow_root by (exact Hq || lra).
    replace (Aab al rho m (orbit g tl (j - last)) - INR j - (C - n)) with (Aab al rho m (orbit g tl (j - last)) - INR (j - last) - C);
      [exact hC|]. rewrite minus_INR by exact hj. unfold n. ring.
Qed.

Lemma tail j : (last <= j)%nat ->
  Rabs (orbit f x0 (j - off) - pw q (root m (al / INR j)) * (1 - l1 * ln (INR j) / INR j)) <= B / (INR j * pw q (root m (INR j))).
Proof.
intros hj. destruct at_last_layer as [hx [_ [h1 h2]]]. destruct (later j hj) as [e _]. assert (j0 : 0 < INR j) by (apply lt_0_INR; lia).
pose proof (power_law_from g (fun t => K * t ^ k) r al rho m Hm Hal Hin) as T.
specialize (T ltac:(intros t ht; apply Rmult_le_pos; [exact HK | apply pow_le; lra]) Hd Hmono tl O last clo chi b W hx ltac:(lia)).
cbn [orbit] in T. rewrite Nat.add_0_l in T. fold n in T.
specialize (T h1 h2 Hb HW HW1 Hr Hlow Hupp q (j - last)%nat ltac:(lia)). cbv zeta in T.
replace (j - last + last)%nat with j in T by lia. rewrite <- e, <- Hl1 in T.
unfold ypt in T. rewrite <- root_eq in T by (try apply Rdiv_lt_0_compat; assumption).
rewrite !pw_eq by exact Hq. eapply Rle_trans; [exact T|]. rewrite root_div by assumption.
pose proof (root_pos m (INR j) Hm j0) as p. assert (pq : 0 < root m (INR j) ^ q) by (apply pow_lt; exact p).
replace ((root m al / root m (INR j)) ^ q) with (root m al ^ q / root m (INR j) ^ q)
  by (unfold Rdiv; rewrite Rpow_mult_distr, pow_inv; reflexivity).
set (c := INR q * b + _) in *.
apply Rmult_le_reg_r with (INR j * root m (INR j) ^ q); [apply Rmult_lt_0_compat; assumption|].
replace (c * (root m al ^ q / root m (INR j) ^ q) / INR j * (INR j * root m (INR j) ^ q)) with (c * root m al ^ q) by (field; lra).
replace (B / (INR j * root m (INR j) ^ q) * (INR j * root m (INR j) ^ q)) with B by (field; lra). exact HB.
Qed.

Lemma law j : (first <= j)%nat ->
  Rabs (orbit f x0 (j - off) - pw q (root m (al / INR j)) * (1 - l1 * ln (INR j) / INR j)) <= B / (INR j * pw q (root m (INR j))).
Proof.
intros hj. destruct (Nat.le_gt_cases last j) as [h|h]; [exact (tail j h)|].
destruct ran as [a _]. destruct (a (j - off)%nat ltac:(unfold last in h; lia)) as [_ [_ d]].
replace (j - off + off)%nat with j in d by lia. specialize (d hj).
unfold gap, terms in d. cbn [evR] in d. rewrite !pwe_eq, !roote_eq in d by assumption. cbn [evR] in d.
rewrite Hale, Hl1e, HBe in d. assert (j0 : 0 < INR j) by (apply lt_0_INR; lia).
pose proof (root_pos m (INR j) Hm j0) as p. rewrite (pw_eq q (root m (INR j))) in * by exact Hq.
assert (pq : 0 < root m (INR j) ^ q) by (apply pow_lt; exact p).
apply Rmult_le_reg_r with (INR j * root m (INR j) ^ q); [apply Rmult_lt_0_compat; assumption|].
replace (B / (INR j * root m (INR j) ^ q) * (INR j * root m (INR j) ^ q)) with B by (field; lra). lra.
Qed.

Theorem two_terms : (forall t i, 0 < t <= r -> dom ge t i) ->
  (forall j, dom fe (orbit f x0 j) (INR (j + off))) /\
  (exists C, clo <= C <= chi /\ forall j, (last <= j)%nat ->
    Rabs (Aab al rho m (root q (orbit f x0 (j - off))) - INR j - C) <= K * root q (orbit f x0 (j - off)) ^ k) /\
  (forall j, (first <= j)%nat ->
    Rabs (orbit f x0 (j - off) - pw q (root m (al / INR j)) * (1 - l1 * ln (INR j) / INR j)) <= B / (INR j * pw q (root m (INR j)))).
Proof. intros hd. exact (conj (domain hd) (conj constant law)). Qed.
End Law.
