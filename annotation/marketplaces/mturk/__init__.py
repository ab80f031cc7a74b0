"""Marketplaces with the MTurk API."""
