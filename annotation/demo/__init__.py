"""The demo's world: a small encyclopedia of Vennory, an island that does not exist, and questions about it."""
