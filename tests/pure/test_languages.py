"""Texts in several languages: a requester's parts, and our own Markdown translated bit by bit."""

from __future__ import annotations

import pytest

from annotation.pure.text.languages import bits, by_language, translated, worded


@pytest.mark.parametrize(
    ("text", "language", "read"),
    [
        ("Ferries", "de", "Ferries"),
        ("Ferries [de] Fähren", "de", "Fähren"),
        ("Ferries [de] Fähren", "de-at", "Fähren"),
        ("Ferries [de] Fähren", "fr", "Ferries"),
        ("Read.\r\n\r\n[de]\r\n\r\nLesen Sie.\r\n", "de", "Lesen Sie."),
        ("Read.\n\n[de]\n\nLesen Sie.\n", "en", "Read."),
        ("[en]\nRead.\n[de]\nLesen Sie.", "fr", "Read."),
        ("[de]\nLesen Sie.\n[fr]\nLisez.", "en", "Lesen Sie."),
        ("They wrote “teh [sic] ferry”.\nRead.", "de", "They wrote “teh [sic] ferry”.\nRead."),
        ("", "de", ""),
        ({"en": "Ferries", "de": "Fähren"}, "de", "Fähren"),
    ],
)
def test_a_reader_gets_the_part_of_their_language(text: str | dict[str, str], language: str, read: str) -> None:
    assert worded(text, language) == read


def test_a_text_without_marks_stays_as_it_is() -> None:
    assert by_language(" As  typed.\n\n") == {"": " As  typed.\n\n"}


def test_markdown_is_translated_bit_by_bit_and_keeps_what_is_not_ours() -> None:
    text = (
        "## + Title\n\nTwo lines\nof ours.\n\n1. One\n2. Two,\n   longer\n\n| a | b |\n| --- | --- |\n\n"
        "Contact: [Jo]\n\nOwn  text\nstays."
    )
    known = {"Title": "Titel", "Two lines of ours.": "Von uns.", "Two, longer": "Zwei", "| a | b |": "| c | d |"}
    known["Contact:"] = "Kontakt:"
    assert translated(text, lambda bit: known.get(bit, bit)) == (
        "## + Titel\n\nVon uns.\n\n1. One\n2. Zwei\n\n| c | d |\n| --- | --- |\n\nKontakt: [Jo]\n\nOwn  text\nstays."
    )


def test_bits_are_what_a_translator_gets() -> None:
    text = "## + Title\n\n- one\n  more\n- two\n\n> said\n\n| --- |\n"
    assert list(bits(text)) == ["Title", "one more", "two", "said"]
