"""Webhooks of projects."""
