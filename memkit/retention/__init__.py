"""Forgetting: policy, plan, apply."""
