"""Numbers look alike in every language, as in papers, files and the fields of forms: a point, commas for thousands."""
