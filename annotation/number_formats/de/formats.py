"""German dates, and numbers as everywhere else."""

DECIMAL_SEPARATOR = "."
THOUSAND_SEPARATOR = ","
