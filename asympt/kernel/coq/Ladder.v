(** Taylor's formula with Lagrange's remainder, from a ladder of derivatives: f 0, its derivative f 1, .. , f n, where
    lo <= f n <= hi on [0, r].  It gives the Taylor lemma of any map whose derivatives are written down. *)
From Coq Require Import Reals Lra Lia ZArith.
From Coquelicot Require Import Coquelicot.
Require Import Bounds.
Open Scope R_scope.

(** The Taylor polynomial with the derivatives c 0, .. , c (n-1) at 0. *)
Fixpoint taylor (c : nat -> R) (n : nat) (x : R) : R :=
  match n with O => 0 | S k => taylor c k x + c k * x ^ k / INR (fact k) end.

Lemma taylor_0 c n : taylor c (S n) 0 = c O.
Proof. induction n; [simpl; field|]. change (taylor c (S (S n)) 0) with (taylor c (S n) 0 + c (S n) * 0 ^ S n / INR (fact (S n))).
rewrite IHn, pow_i by lia. unfold Rdiv. ring. Qed.

Lemma power_derive a k x : is_derive (fun x => a * x ^ S k / INR (fact (S k))) x (a * x ^ k / INR (fact k)).
Proof.
rewrite fact_simpl, mult_INR. pose proof (INR_fact_neq_0 k) as h. pose proof (not_0_INR (S k) ltac:(lia)) as h'.
generalize dependent (INR (fact k)). intros u h. auto_derive; [exact I|]. change (pred (S k)) with k.
change (match k with O => 1 | S _ => INR k + 1 end) with (INR (S k)). field. split; assumption.
Qed.
Lemma taylor_derive c n x : is_derive (taylor c (S n)) x (taylor (fun j => c (S j)) n x).
Proof.
induction n.
- change (is_derive (fun x => 0 + c O * x ^ 0 / INR (fact 0)) x 0). auto_derive; [exact I | simpl; ring].
- exact (is_derive_plus (taylor c (S n)) (fun x => c (S n) * x ^ S n / INR (fact (S n))) x _ _ IHn (power_derive (c (S n)) n x)).
Qed.

Definition ladder (f : nat -> R -> R) (n : nat) (r : R) :=
  forall j x, (j < n)%nat -> 0 <= x <= r -> is_derive (f j) x (f (S j) x).

Lemma ladder_low n : forall f lo r, ladder f n r -> (forall x, 0 <= x <= r -> lo <= f n x) ->
  forall t, 0 <= t <= r -> taylor (fun j => f j 0) n t + lo * t ^ n / INR (fact n) <= f O t.
Proof.
induction n; intros f lo r hf hl t ht.
- simpl. specialize (hl t ht). lra.
- set (c := fun j => f j 0).
  assert (z : 0 <= f O t - (taylor c (S n) t + lo * t ^ S n / INR (fact (S n)))); [|lra].
  replace 0 with (f O 0 - (taylor c (S n) 0 + lo * 0 ^ S n / INR (fact (S n)))) at 1.
  2: { rewrite taylor_0, pow_i by lia. unfold c, Rdiv. ring. }
  apply (from_zero (fun x => f O x - (taylor c (S n) x + lo * x ^ S n / INR (fact (S n))))
    (fun x => f 1%nat x - (taylor (fun j => c (S j)) n x + lo * x ^ n / INR (fact n)))); [lra| |].
  + intros x hx. refine (is_derive_minus (f O) (fun x => taylor c (S n) x + lo * x ^ S n / INR (fact (S n))) x _ _ _ _).
    * apply hf; [lia | lra].
    * exact (is_derive_plus (taylor c (S n)) _ x _ _ (taylor_derive c n x) (power_derive lo n x)).
  + intros x hx. pose proof (IHn (fun j => f (S j)) lo r) as h.
    assert (taylor (fun j => c (S j)) n x + lo * x ^ n / INR (fact n) <= f 1%nat x); [|lra].
    apply h; [intros j y hj hy; apply hf; [lia | exact hy] | intros y hy; apply hl, hy | lra].
Qed.

Lemma taylor_opp c n x : taylor (fun j => - c j) n x = - taylor c n x.
Proof. induction n; simpl; [ring|]. rewrite IHn. unfold Rdiv. ring. Qed.

Theorem taylor_ladder f n lo hi r : ladder f n r -> (forall x, 0 <= x <= r -> lo <= f n x <= hi) ->
  forall t, 0 < t <= r -> exists th, lo <= th <= hi /\
    f O t = taylor (fun j => f j 0) n t + th * t ^ n / INR (fact n).
Proof.
intros hf hb t ht.
pose proof (ladder_low n f lo r hf (fun x hx => proj1 (hb x hx)) t ltac:(lra)) as l.
assert (u : taylor (fun j => - f j 0) n t + - hi * t ^ n / INR (fact n) <= - f O t).
{ apply (ladder_low n (fun j x => - f j x) (- hi) r); [|intros x hx; specialize (hb x hx); lra | lra].
  intros j x hj hx. exact (is_derive_opp (f j) x _ (hf j x hj hx)). }
rewrite (taylor_opp (fun j => f j 0)) in u.
assert (p : 0 < t ^ n / INR (fact n)) by (apply Rdiv_lt_0_compat; [apply pow_lt; lra | apply INR_fact_lt_0]).
set (T := taylor (fun j => f j 0) n t) in *. set (q := t ^ n / INR (fact n)) in *.
replace (lo * t ^ n / INR (fact n)) with (lo * q) in l by (unfold q, Rdiv; ring).
replace (- hi * t ^ n / INR (fact n)) with (- (hi * q)) in u by (unfold q, Rdiv; ring).
exists ((f O t - T) / q). split; [split; apply Rmult_le_reg_r with q; try exact p;
  replace ((f O t - T) / q * q) with (f O t - T) by (field; lra); lra|].
replace ((f O t - T) / q * t ^ n / INR (fact n)) with ((f O t - T) / q * q) by (unfold q, Rdiv; ring).
field. lra.
Qed.

(** Replaces the factorials of a goal by their values. *)
Ltac factorials := repeat match goal with |- context [INR (fact ?n)] =>
  let z := eval vm_compute in (Z.of_nat (fact n)) in
  replace (INR (fact n)) with (IZR z) by (rewrite INR_IZR_INZ; apply f_equal; vm_compute; reflexivity) end.
