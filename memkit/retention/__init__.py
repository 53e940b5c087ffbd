"""Forgetting: policy, plan, apply.

What it holds. `review` judges every entry by the policy and shows the verdicts with their rules; `apply` carries out
exactly that, through the store's one way of moving entries to the trash, and refuses if anything changed since. Storing
prunes by the same two steps. `what_if` compares policies and looks ahead. `facade` is what a Memory offers.

What it promises. Nothing is forgotten that was not shown, or could not have been: a doubt (a damaged pin, entries from
the future, a policy that would leave nothing) prunes nothing and is said. What was pruned can be restored, byte for
byte, until its days in the trash are over and somebody applies a review that shows it. Receipts hold no text.

How it is checked. A naive evaluator in the tests agrees with the query on random policies and entries; every operation
is in the ladder's table.
"""
