"""Helpers that several tasks share: answers from paragraphs, decompositions, tables of reports. No Django."""
