(** The same in x of the proof object, @scale times the x above. *)
Theorem law_of_x@start1 forall n, (@first <= n)%nat ->
  Rabs (orbit (fun x => @own) @x1 @index - @scale * @leading * (1 - @l1 * ln (INR n) / INR n)) <= @whole / (INR n * @root_n).
Proof.
intros. assert (o : forall j y, orbit (fun x => @scale * f (x / @scale)) (@scale * y) j = @scale * orbit f y j).
{ intros j y. induction j; [reflexivity|]. cbn [orbit]. rewrite IHj. f_equal. f_equal. field. }
assert (w : Rabs (orbit f (@x1 / @scale) @index - @leading * (1 - @l1 * ln (INR n) / INR n)) <= @part / (INR n * @root_n)).
{ replace (@x1 / @scale) with @same by lra. apply law; lra || assumption. }
change (Rabs (orbit (fun x => @scale * f (x / @scale)) @x1 @index - @scale * @leading * (1 - @l1 * ln (INR n) / INR n)) <= @whole / (INR n * @root_n)).
replace @x1 with (@scale * (@x1 / @scale)) at 1 by lra. rewrite o. set (y := orbit f (@x1 / @scale) @index) in *.
assert (n0 : 0 < INR n) by (apply lt_0_INR; lia). set (z := 1 - @l1 * ln (INR n) / INR n) in *.
replace (@scale * y - @scale * @leading * z) with (@scale * (y - @leading * z)) by (field; try exact PI_neq0; lra).
replace (@whole / (INR n * @root_n)) with (@scale * (@part / (INR n * @root_n))) by (field; lra).
rewrite Rabs_mult, Rabs_pos_eq by lra. apply Rmult_le_compat_l; [lra | exact w].
Qed.
Definition theorems := (@theorems, law_of_x).
