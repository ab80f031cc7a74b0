"""Deterministic simulation: one seed owns time, order, chance and faults (docs/proof.md)."""
