"""The demo's data: a small encyclopedia of Vennory, an invented island, and questions about it."""
