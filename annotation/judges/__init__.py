"""Models that respond like workers: what is sent to their endpoints, within which limits, and what came of it."""
