"""Rehearsals: a throw-away copy of a batch, served as the product is, worked on by simulated people over HTTP."""
