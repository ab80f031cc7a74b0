"""The MTurk requester protocol, served over our own rows: parse, call a verb, answer in its JSON."""
