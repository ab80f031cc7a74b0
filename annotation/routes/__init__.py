"""The addresses of one area each; annotation/urls.py is the table of contents."""
