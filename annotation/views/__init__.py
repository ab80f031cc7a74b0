"""Pages: parse the request, call a function of flow, show the result."""
