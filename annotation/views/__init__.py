"""The pages: parse, call a verb, show the result."""
