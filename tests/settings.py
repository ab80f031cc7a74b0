"""Settings for tests: the product's own, with a fast hasher and no demo data folder."""
