(** Side conditions of derivatives: a node's argument inside its domain; equal fractions. *)
Ltac inside := repeat split; first [exact Logic.I | exact PI_neq0 | lra | interval with (i_prec 40) |
  apply Rgt_not_eq; first [lra | interval with (i_prec 40)] | apply Rlt_not_eq; first [lra | interval with (i_prec 40)]].
Ltac same := unfold Rminus, Rdiv in *; cbn [pow] in *; field; inside.

(** G and its derivatives. *)
@derivatives
Definition d (j : nat) : R -> R := match j with @cases end%nat.
Lemma d_map x : 0 <= x <= T -> G x = d0 x.
Proof. unfold T, G, d0; intros h. same. Qed.
Lemma slope x : 0 <= x <= T -> is_derive G x (d1 x).
Proof. unfold T, G, d1; intros h. auto_derive; [inside | same]. Qed.
Lemma rungs : ladder d @degree r.
Proof.
unfold r; intros j x hj hx. do @degree (destruct j as [|j]; [cbn [d]; unfold @unfolded; auto_derive; [inside | same]|]). lia.
Qed.
Lemma top x : 0 <= x <= r -> tlo <= d @degree x <= thi.
Proof. cbn [d]. unfold r, d@degree, tlo, thi; intros h. split; first [lra | interval with (i_prec 60, i_bisect x, i_depth 20)]. Qed.

(** Their values at 0. *)
@values
(** G increases. *)
Lemma rises x : 0 <= x <= T -> 0 <= d1 x.
Proof.
intros h. @rises
Qed.
(** Taylor's formula at 0. *)
Lemma g_series t : 0 < t <= r -> exists th, tlo <= th <= thi /\ G t = @series.
Proof.
intros h. destruct (taylor_ladder d @degree tlo thi r rungs top t h) as [th [h1 h2]]. exists th. split; [exact h1|].
rewrite (d_map t) by (unfold r, T in *; lra). change (d0 t) with (d 0 t). rewrite h2. cbn [taylor d]. factorials. rewrite @rewritten.
try replace th with 0 by (unfold tlo, thi in h1; lra). clear; field; repeat split; exact PI_neq0.
Qed.
