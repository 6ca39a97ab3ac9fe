(** Finitely many layers by reflection: interval arithmetic on Coq's binary integers Z
    (no primitive integers or floats, hence no axioms of theirs).
    [run_correct]: one boolean proves, for the first layers of all orbits between two, that every node of the map is inside
    its real domain, that a formula is positive at each layer from some layer on, and that others are at the last layer.
    [dom_on_correct]: one boolean proves the domains on all of [0, r]. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Interval Require Import Float.Specific_ops Float.Specific_stdz Float.Sig Xreal Interval.Interval Float_full.
From Interval Require Import Tactic.
Require Import ParabolicLemmas.
Module SFZ := SpecificFloat StdZRadix2.
Module IT := IntervalTactic SFZ.
Module I := FloatIntervalFull SFZ.
Open Scope R_scope.

(** Formulas in the state x and the layer n. *)
Inductive ex : Set :=
  | X | N | Cst (z : Z) | Add (a b : ex) | Sub (a b : ex) | Mul (a b : ex) | Div (a b : ex)
  | Pow (a : ex) (k : nat) | Neg (a : ex) | Abs (a : ex) | Sqrt (a : ex) | Ln (a : ex) | Exp (a : ex)
  | Sin (a : ex) | Cos (a : ex) | Tan (a : ex) | Atan (a : ex) | Pi.

(** The value, and below its enclosure. *)
Fixpoint evR (e : ex) (x n : R) : R :=
  match e with
  | X => x | N => n | Cst z => IZR z
  | Add a b => evR a x n + evR b x n | Sub a b => evR a x n - evR b x n
  | Mul a b => evR a x n * evR b x n | Div a b => evR a x n / evR b x n
  | Pow a k => evR a x n ^ k
  | Neg a => - evR a x n | Abs a => Rabs (evR a x n)
  | Sqrt a => sqrt (evR a x n) | Ln a => ln (evR a x n) | Exp a => exp (evR a x n)
  | Sin a => sin (evR a x n) | Cos a => cos (evR a x n) | Tan a => tan (evR a x n)
  | Atan a => atan (evR a x n) | Pi => PI
  end.

Section Eval.
Variable prec : SFZ.precision.

Fixpoint evI (e : ex) (x n : I.type) : I.type :=
  match e with
  | X => x | N => n | Cst z => I.fromZ prec z
  | Add a b => I.add prec (evI a x n) (evI b x n) | Sub a b => I.sub prec (evI a x n) (evI b x n)
  | Mul a b => I.mul prec (evI a x n) (evI b x n) | Div a b => I.div prec (evI a x n) (evI b x n)
  | Pow a k => I.power_int prec (evI a x n) (Z.of_nat k)
  | Neg a => I.neg (evI a x n) | Abs a => I.abs (evI a x n)
  | Sqrt a => I.sqrt prec (evI a x n) | Ln a => I.ln prec (evI a x n) | Exp a => I.exp prec (evI a x n)
  | Sin a => I.sin prec (evI a x n) | Cos a => I.cos prec (evI a x n) | Tan a => I.tan prec (evI a x n)
  | Atan a => I.atan prec (evI a x n) | Pi => I.pi prec
  end.

Definition inI (i : I.type) (x : R) := contains (I.convert i) (Xreal x).

Lemma inI_of i v x : contains (I.convert i) v -> (v = Xreal x \/ v = Xnan) -> inI i x.
Proof.
intros H [->| ->]; [exact H|]. unfold inI. revert H. unfold contains.
destruct (I.convert i); [auto | intros []].
Qed.

Lemma evI_correct e ix iN x n : inI ix x -> inI iN n -> inI (evI e ix iN) (evR e x n).
Proof.
intros hx hn; induction e; simpl; auto; try exact (I.fromZ_correct _ _).
- exact (I.add_correct prec _ _ _ _ IHe1 IHe2).
- exact (I.sub_correct prec _ _ _ _ IHe1 IHe2).
- exact (I.mul_correct prec _ _ _ _ IHe1 IHe2).
- eapply inI_of; [exact (I.div_correct prec _ _ _ _ IHe1 IHe2)|]. simpl. unfold Xdiv'. destruct is_zero; auto.
- eapply inI_of; [exact (I.power_int_correct prec (Z.of_nat k) _ _ IHe)|]. left. simpl. unfold Xpower_int, Xpower_int', Xbind. destruct (Z.of_nat k) eqn:q.
  + replace k with O by lia. reflexivity.
  + f_equal. f_equal. lia.
  + lia.
- exact (I.neg_correct _ _ IHe).
- exact (I.abs_correct _ _ IHe).
- exact (I.sqrt_correct prec _ _ IHe).
- eapply inI_of; [exact (I.ln_correct prec _ _ IHe)|]. simpl. unfold Xln'. destruct is_positive; auto.
- exact (I.exp_correct prec _ _ IHe).
- exact (I.sin_correct prec _ _ IHe).
- exact (I.cos_correct prec _ _ IHe).
- eapply inI_of; [exact (I.tan_correct prec _ _ IHe)|]. simpl. unfold Xtan'. destruct is_zero; auto.
- exact (I.atan_correct prec _ _ IHe).
- exact (I.pi_correct prec).
Qed.

(** What an interval shows of its numbers: > 0, <> 0. *)
Definition pos (i : I.type) : bool := match I.sign_strict i with Xgt => true | _ => false end.
Lemma pos_correct i x : pos i = true -> inI i x -> 0 < x.
Proof.
unfold pos, inI; intros h c. pose proof (I.sign_strict_correct i) as s.
destruct (I.sign_strict i); try discriminate. apply s in c. simpl in c. tauto.
Qed.
End Eval.

(** Every node inside its real domain, where Coq's total functions are the usual ones: roots and logarithms of positive
    numbers, no division by zero, no pole of the tangent. *)
Fixpoint dom (e : ex) (x n : R) : Prop :=
  match e with
  | X | N | Cst _ | Pi => True
  | Add a b | Sub a b | Mul a b => dom a x n /\ dom b x n
  | Div a b => dom a x n /\ dom b x n /\ evR b x n <> 0
  | Pow a _ | Neg a | Abs a | Exp a | Sin a | Cos a | Atan a => dom a x n
  | Sqrt a | Ln a => dom a x n /\ 0 < evR a x n
  | Tan a => dom a x n /\ cos (evR a x n) <> 0
  end.

Section Layers.
Variable prec : SFZ.precision.
Notation evI := (evI prec).
Notation fromZ := (I.fromZ prec).

Definition away (i : I.type) : bool := (pos i || pos (I.neg i))%bool.
Lemma away_correct i x : away i = true -> inI i x -> x <> 0.
Proof.
intros h c. apply Bool.orb_prop in h. destruct h as [h|h].
- pose proof (pos_correct _ _ h c). lra.
- pose proof (pos_correct _ (- x) h (I.neg_correct _ _ c)). lra.
Qed.

Fixpoint domI (e : ex) (x n : I.type) : bool :=
  (match e with
  | X | N | Cst _ | Pi => true
  | Add a b | Sub a b | Mul a b => domI a x n && domI b x n
  | Div a b => domI a x n && domI b x n && away (evI b x n)
  | Pow a _ | Neg a | Abs a | Exp a | Sin a | Cos a | Atan a => domI a x n
  | Sqrt a | Ln a => domI a x n && pos (evI a x n)
  | Tan a => domI a x n && away (I.cos prec (evI a x n))
  end)%bool.

Lemma domI_correct e ix iN x n : inI ix x -> inI iN n -> domI e ix iN = true -> dom e x n.
Proof.
intros hx hn. assert (v : forall a, inI (evI a ix iN) (evR a x n)) by (intros; apply evI_correct; assumption).
induction e; simpl; intros h; auto; repeat (apply andb_prop in h; destruct h as [h ?]); repeat split; auto;
  try (eapply pos_correct; eauto; fail); try (eapply away_correct; eauto; fail).
eapply away_correct; [eassumption|]. exact (I.cos_correct prec _ _ (v e)).
Qed.

(** The domains on [0, r], in k pieces: the piece j from the left is [j r/k, (j+1) r/k]. *)
Definition piece (re : ex) (k j : nat) : I.type :=
  I.mul prec (evI re I.zero I.zero)
    (I.div prec (I.join (fromZ (Z.of_nat j)) (fromZ (Z.of_nat (S j)))) (fromZ (Z.of_nat k))).
Fixpoint dom_on (e re : ex) (k j : nat) : bool :=
  match j with O => true | S j => (domI e (piece re k j) I.zero && dom_on e re k j)%bool end.
Lemma zero_in : inI I.zero 0.
Proof. unfold inI. rewrite I.zero_correct. simpl; lra. Qed.
Lemma join_in a b lo hi x : inI a lo -> inI b hi -> lo <= x <= hi -> inI (I.join a b) x.
Proof.
intros ha hb hx. exact (contains_connected _ lo hi (I.join_correct a b _ (or_introl ha)) (I.join_correct a b _ (or_intror hb)) x hx).
Qed.
Lemma cell (k : nat) (w : R) : 0 <= w <= INR k -> (0 < k)%nat -> exists j, (j < k)%nat /\ INR j <= w <= INR (S j).
Proof.
induction k; intros h hk; [lia|].
destruct (Rle_lt_dec w (INR k)) as [a|a].
- destruct k; [exists O; split; [lia|]; simpl in *; lra|].
  destruct (IHk ltac:(lra) ltac:(lia)) as [j [h1 h2]]. exists j. split; [lia | exact h2].
- exists k. split; [lia | lra].
Qed.
Lemma dom_on_piece e re k j i : (i < j)%nat -> dom_on e re k j = true -> domI e (piece re k i) I.zero = true.
Proof.
induction j; intros hi h; [lia|]. simpl in h. apply andb_prop in h. destruct h as [h1 h2].
destruct (Nat.eq_dec i j) as [->|q]; [exact h1 | apply IHj; [lia | exact h2]].
Qed.
Theorem dom_on_correct e re k x r : evR re 0 0 = r -> 0 < r -> (0 < k)%nat ->
  dom_on e re k k = true -> 0 <= x <= r -> dom e x 0.
Proof.
intros hr r0 hk h hx. assert (k0 : 0 < INR k) by (apply lt_0_INR; exact hk).
destruct (cell k (x * INR k / r)) as [j [hj hw]]; [|exact hk|].
- split; [apply Rmult_le_pos; [nra | left; apply Rinv_0_lt_compat, r0]|].
  apply Rmult_le_reg_r with r; [exact r0|]. replace (x * INR k / r * r) with (x * INR k) by (field; lra). nra.
- apply (domI_correct e (piece re k j) I.zero x 0); [|exact zero_in | apply (dom_on_piece e re k k j hj h)].
  replace x with (r * (x * INR k / r / INR k)) by (field; lra).
  assert (of_nat : forall i, inI (fromZ (Z.of_nat i)) (INR i)) by (intros; rewrite INR_IZR_INZ; exact (I.fromZ_correct _ _)).
  refine (I.mul_correct prec _ _ (Xreal r) (Xreal _) _ _).
  + rewrite <- hr. apply evI_correct; exact zero_in.
  + eapply inI_of; [refine (I.div_correct prec _ _ (Xreal (x * INR k / r)) (Xreal (INR k)) _ (of_nat k))|].
    * exact (join_in _ _ _ _ _ (of_nat j) (of_nat (S j)) hw).
    * simpl. unfold Xdiv'. destruct is_zero; auto.
Qed.

(** The ends of an interval as points, and the numbers between two. *)
Definition lowpt (i : I.type) : I.type := if I.lower_bounded i then I.singleton (I.lower i) else I.nai.
Definition uppt (i : I.type) : I.type := if I.upper_bounded i then I.singleton (I.upper i) else I.nai.
Definition mid (il iu : I.type) := I.meet (I.upper_extent il) (I.lower_extent iu).

Lemma lowpt_correct i v : inI i v -> exists l, inI (lowpt i) l /\ l <= v.
Proof.
intros h. unfold lowpt. pose proof (I.lower_bounded_correct i) as b. destruct (I.lower_bounded i).
- destruct (b eq_refl) as [b1 b2]. exists (proj_val (I.F.toX (I.lower i))). split; [apply I.singleton_correct|].
  unfold inI in h. rewrite (b2 (ex_intro _ v h)), b1 in h. simpl in h. tauto.
- exists v. split; [|lra]. unfold inI. rewrite I.nai_correct. exact Logic.I.
Qed.
Lemma uppt_correct i v : inI i v -> exists u, inI (uppt i) u /\ v <= u.
Proof.
intros h. unfold uppt. pose proof (I.upper_bounded_correct i) as b. destruct (I.upper_bounded i).
- destruct (b eq_refl) as [b1 b2]. exists (proj_val (I.F.toX (I.upper i))). split; [apply I.singleton_correct|].
  unfold inI in h. rewrite (b2 (ex_intro _ v h)), b1 in h. simpl in h. tauto.
- exists v. split; [|lra]. unfold inI. rewrite I.nai_correct. exact Logic.I.
Qed.
Lemma mid_correct il iu l u x : inI il l -> inI iu u -> l <= x <= u -> inI (mid il iu) x.
Proof.
intros h1 h2 [h3 h4].
apply I.meet_correct; [exact (I.upper_extent_correct _ _ _ h1 h3) | exact (I.lower_extent_correct _ _ _ h2 h4)].
Qed.

(** The layers z .. z+k of all orbits between two: x > 0, the domains of g, `each` > 0 from layer `first` on, and every
    formula of `last` > 0 at layer z+k.  Where g increases, on (0, top], only the end orbits are iterated, so that nothing
    widens. *)
Fixpoint run (g each top : ex) (last : list ex) (first : Z) (il iu : I.type) (z : Z) (k : nat) : bool :=
  let i := mid il iu in let n := fromZ z in
  (pos il && domI g i n && ((z <? first)%Z || pos (evI each i n)) &&
   match k with
   | O => forallb (fun e => pos (evI e i n)) last
   | S k => if pos (I.sub prec (evI top i n) iu)
            then run g each top last first (lowpt (evI g il n)) (uppt (evI g iu n)) (z + 1) k
            else let j := evI g i n in run g each top last first (lowpt j) (uppt j) (z + 1) k
   end)%bool.

Variables (g : R -> R) (ge tope : ex) (top : R) (off : nat).
Hypothesis Hge : forall x n, g x = evR ge x n.
Hypothesis Htop : forall x n, evR tope x n = top.
Hypothesis Hmono : forall x y, 0 < x -> x <= y -> y <= top -> g x <= g y.

(** The orbit's element j is layer j + off. *)
Lemma run_from each last first x0 k : forall il iu j l u,
  inI il l -> inI iu u -> l <= orbit g x0 j <= u ->
  run ge each tope last first il iu (Z.of_nat (j + off)) k = true ->
  (forall i, (j <= i <= j + k)%nat -> 0 < orbit g x0 i /\ dom ge (orbit g x0 i) (INR (i + off)) /\
    ((first <= Z.of_nat (i + off))%Z -> 0 < evR each (orbit g x0 i) (INR (i + off)))) /\
  (forall e, In e last -> 0 < evR e (orbit g x0 (j + k)) (INR (j + k + off))).
Proof.
assert (of_nat : forall i, inI (fromZ (Z.of_nat i)) (INR i)) by (intros; rewrite INR_IZR_INZ; exact (I.fromZ_correct _ _)).
induction k; intros il iu j l u hl hu hx c; simpl in c; apply andb_prop in c; destruct c as [c c2]; apply andb_prop in c;
  destruct c as [c c1]; apply andb_prop in c; destruct c as [cp c0].
all: pose proof (mid_correct _ _ _ _ _ hl hu hx) as h; pose proof (pos_correct _ _ cp hl) as l0.
all: assert (here : 0 < orbit g x0 j /\ dom ge (orbit g x0 j) (INR (j + off)) /\
    ((first <= Z.of_nat (j + off))%Z -> 0 < evR each (orbit g x0 j) (INR (j + off)))).
1, 3: split; [lra|]; split; [exact (domI_correct _ _ _ _ _ h (of_nat _) c0)|]; intros w; apply Bool.orb_prop in c1;
  destruct c1 as [c1|c1]; [apply Z.ltb_lt in c1; lia | apply (pos_correct _ _ c1), evI_correct; [exact h | apply of_nat]].
- rewrite Nat.add_0_r. split.
  + intros i hi. replace i with j by lia. exact here.
  + intros e he. rewrite forallb_forall in c2. apply (pos_correct _ _ (c2 e he)), evI_correct; [exact h | apply of_nat].
- set (n := Z.of_nat (j + off)) in *. assert (next : forall il' iu' l' u', inI il' l' -> inI iu' u' ->
    l' <= orbit g x0 (S j) <= u' -> run ge each tope last first il' iu' (n + 1) k = true ->
    (forall i, (j <= i <= j + S k)%nat -> 0 < orbit g x0 i /\ dom ge (orbit g x0 i) (INR (i + off)) /\
      ((first <= Z.of_nat (i + off))%Z -> 0 < evR each (orbit g x0 i) (INR (i + off)))) /\
    (forall e, In e last -> 0 < evR e (orbit g x0 (j + S k)) (INR (j + S k + off)))).
  { intros il' iu' l' u' a b d r. replace (n + 1)%Z with (Z.of_nat (S j + off)) in r by (unfold n; lia).
    destruct (IHk _ _ (S j) _ _ a b d r) as [p q]. replace (j + S k)%nat with (S j + k)%nat by lia. split; [|exact q].
    intros i hi. destruct (Nat.eq_dec i j) as [->|w]; [exact here | apply p; lia]. }
  assert (ev : forall i v, inI i v -> inI (evI ge i (fromZ n)) (g v)).
  { intros i v hv. rewrite (Hge v (INR (j + off))). apply evI_correct; [exact hv | apply of_nat]. }
  destruct (pos (I.sub prec (evI tope (mid il iu) (fromZ n)) iu)) eqn:t.
  + assert (ht : u < top).
    { assert (0 < top - u); [|lra]. apply (pos_correct _ _ t). refine (I.sub_correct prec _ _ (Xreal top) (Xreal u) _ hu).
      rewrite <- (Htop (orbit g x0 j) (INR (j + off))). apply evI_correct; [exact h | apply of_nat]. }
    destruct (lowpt_correct _ _ (ev _ _ hl)) as [l' [l1 l2]]. destruct (uppt_correct _ _ (ev _ _ hu)) as [u' [u1 u2]].
    apply (next _ _ l' u' l1 u1); [|exact c2]. simpl.
    pose proof (Hmono l (orbit g x0 j) ltac:(lra) ltac:(lra) ltac:(lra)).
    pose proof (Hmono (orbit g x0 j) u ltac:(lra) ltac:(lra) ltac:(lra)). lra.
  + destruct (lowpt_correct _ _ (ev _ _ h)) as [l' [l1 l2]]. destruct (uppt_correct _ _ (ev _ _ h)) as [u' [u1 u2]].
    apply (next _ _ l' u' l1 u1); [simpl; lra | exact c2].
Qed.

(** The same from the first layer, where the orbit starts between the values of two closed formulas. *)
Theorem run_correct loe hie each last first x0 k : evR loe 0 0 <= x0 <= evR hie 0 0 ->
  run ge each tope last first (lowpt (evI loe I.zero I.zero)) (uppt (evI hie I.zero I.zero)) (Z.of_nat off) k = true ->
  (forall j, (j <= k)%nat -> 0 < orbit g x0 j /\ dom ge (orbit g x0 j) (INR (j + off)) /\
    ((first <= Z.of_nat (j + off))%Z -> 0 < evR each (orbit g x0 j) (INR (j + off)))) /\
  (forall e, In e last -> 0 < evR e (orbit g x0 k) (INR (k + off))).
Proof.
intros h c. assert (v : forall e, inI (evI e I.zero I.zero) (evR e 0 0)) by (intros; apply evI_correct; exact zero_in).
destruct (lowpt_correct _ _ (v loe)) as [l [l1 l2]]. destruct (uppt_correct _ _ (v hie)) as [u [u1 u2]].
destruct (run_from each last first x0 k _ _ O l u l1 u1) as [a b]; [simpl; lra | exact c |].
split; [intros j hj; apply a; lia | exact b].
Qed.
End Layers.

(** A formula at another one. *)
Fixpoint subst (e s : ex) : ex :=
  match e with
  | X => s | N | Cst _ | Pi => e
  | Add a b => Add (subst a s) (subst b s) | Sub a b => Sub (subst a s) (subst b s)
  | Mul a b => Mul (subst a s) (subst b s) | Div a b => Div (subst a s) (subst b s)
  | Pow a k => Pow (subst a s) k | Neg a => Neg (subst a s) | Abs a => Abs (subst a s) | Sqrt a => Sqrt (subst a s)
  | Ln a => Ln (subst a s) | Exp a => Exp (subst a s) | Sin a => Sin (subst a s) | Cos a => Cos (subst a s)
  | Tan a => Tan (subst a s) | Atan a => Atan (subst a s)
  end.
Lemma evR_subst e s x n : evR (subst e s) x n = evR e (evR s x n) n.
Proof. induction e; simpl; congruence. Qed.
Lemma dom_subst e s x n : dom s x n -> dom e (evR s x n) n -> dom (subst e s) x n.
Proof. intros h. induction e; simpl; rewrite ?evR_subst; tauto. Qed.
