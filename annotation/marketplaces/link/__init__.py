"""Any panel that sends people by link and takes a code back."""
