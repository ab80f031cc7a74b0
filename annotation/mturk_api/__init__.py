"""The MTurk API for requesters, served over our own rows: parse, call a function of flow, respond in its JSON."""
