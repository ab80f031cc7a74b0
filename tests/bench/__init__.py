"""The comparisons with a goal, each against a yardstick in the same run: `make bench`."""
