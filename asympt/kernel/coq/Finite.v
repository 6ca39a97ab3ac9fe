(** Finitely many layers by reflection: interval arithmetic on Coq's binary integers Z
    (no primitive integers or floats, hence no axioms of theirs).
    [run_correct]: one boolean proves, for an orbit's layers 0 .. N, that every node of the map is inside its real domain,
    that a formula is positive at each layer from some layer on, and that further formulas are positive at layer N.
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

(** The layers z .. z+k: the domains of g, `each` > 0 from layer `first` on, every formula of `last` > 0 at layer z+k. *)
Fixpoint run (g each : ex) (last : list ex) (first : Z) (ix : I.type) (z : Z) (k : nat) : bool :=
  (domI g ix (fromZ z) && ((z <? first)%Z || pos (evI each ix (fromZ z))) &&
   match k with
   | O => forallb (fun e => pos (evI e ix (fromZ z))) last
   | S k => run g each last first (evI g ix (fromZ z)) (z + 1) k
   end)%bool.

Variables (g : R -> R) (ge : ex) (x0 : R).
Hypothesis Hge : forall x n, g x = evR ge x n.

Lemma run_from each last first k : forall ix l,
  inI ix (orbit g x0 l) -> run ge each last first ix (Z.of_nat l) k = true ->
  (forall j, (l <= j <= l + k)%nat -> dom ge (orbit g x0 j) (INR j) /\
    ((first <= Z.of_nat j)%Z -> 0 < evR each (orbit g x0 j) (INR j))) /\
  (forall e, In e last -> 0 < evR e (orbit g x0 (l + k)) (INR (l + k))).
Proof.
assert (of_nat : forall i, inI (fromZ (Z.of_nat i)) (INR i)) by (intros; rewrite INR_IZR_INZ; exact (I.fromZ_correct _ _)).
induction k; intros ix l h c; simpl in c; apply andb_prop in c; destruct c as [c c2]; apply andb_prop in c; destruct c as [c0 c1].
all: assert (here : dom ge (orbit g x0 l) (INR l) /\ ((first <= Z.of_nat l)%Z -> 0 < evR each (orbit g x0 l) (INR l))).
1, 3: split; [exact (domI_correct _ _ _ _ _ h (of_nat l) c0)|]; intros w; apply Bool.orb_prop in c1;
  destruct c1 as [c1|c1]; [apply Z.ltb_lt in c1; lia | apply (pos_correct _ _ c1), evI_correct; [exact h | apply of_nat]].
- rewrite Nat.add_0_r. split.
  + intros j hj. replace j with l by lia. exact here.
  + intros e he. rewrite forallb_forall in c2. apply (pos_correct _ _ (c2 e he)), evI_correct; [exact h | apply of_nat].
- assert (h' : inI (evI ge ix (fromZ (Z.of_nat l))) (orbit g x0 (S l))).
  { simpl. rewrite (Hge _ (INR l)). apply evI_correct; [exact h | apply of_nat]. }
  destruct (IHk _ (S l) h') as [a b]; [rewrite Nat2Z.inj_succ; unfold Z.succ; exact c2|].
  replace (l + S k)%nat with (S l + k)%nat by lia. split; [|exact b].
  intros j hj. destruct (Nat.eq_dec j l) as [->|q]; [exact here | apply a; lia].
Qed.

(** The same from layer 0, where the orbit starts at the value of a closed formula. *)
Theorem run_correct x0e each last first k : evR x0e 0 0 = x0 ->
  run ge each last first (evI x0e I.zero I.zero) 0 k = true ->
  (forall j, (j <= k)%nat -> dom ge (orbit g x0 j) (INR j) /\
    ((first <= Z.of_nat j)%Z -> 0 < evR each (orbit g x0 j) (INR j))) /\
  (forall e, In e last -> 0 < evR e (orbit g x0 k) (INR k)).
Proof.
intros e c. destruct (run_from each last first k (evI x0e I.zero I.zero) O) as [a b]; [|exact c|].
- simpl. rewrite <- e. apply evI_correct; exact zero_in.
- split; [intros j hj; apply a; lia | exact b].
Qed.
End Layers.
