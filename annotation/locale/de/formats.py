"""German dates, and numbers as everywhere else."""

DECIMAL_SEPARATOR = "."
THOUSAND_SEPARATOR = ","
DATE_FORMAT = "j. M Y"
DATETIME_FORMAT = "j. M Y, H:i"
SHORT_DATETIME_FORMAT = "j. M, H:i"
MONTH_DAY_FORMAT = "j. M"
MONEY_FORMAT = "1.234,50\u00a0$"
