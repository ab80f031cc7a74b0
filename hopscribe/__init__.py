"""What a wheel of Hopscribe installs: below this package stand `annotation`, `tasks`, `templates` and the rest."""
