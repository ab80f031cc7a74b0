"""How people speak of the relations that decompositions name: "Green >> performer" is asked as "who sang Green"."""

from __future__ import annotations

from functools import lru_cache

from annotation.pure.text.word_forms import kin, singulars

_SAID_AS = """
    spouse: wife husband marry married
    marry: wife husband spouse widow
    child: son daughter father mother parent
    sibling: brother sister
    father: son daughter child parent
    mother: son daughter child parent
    parent: son daughter child father mother
    author: write
    creator: author make invent write
    performer: singer sing artist band musician actor
    educated: attend school university college graduate student
    employer: work
    occupation: job profession work
    owner: belong
    administrative territorial entity: county state district province region department municipality prefecture borough
    located location: lie situated found base place area where contain hold part border belong
    contain: include hold part divide
    place: where city town
    part: include contain belong
    watercourse: river stream
    body water: river ocean sea lake gulf bay
    citizenship: country nationality nation citizen
    nationality: citizenship country
    headquarters: base seat office
    residence: live home lived
    inception: found establish start create begin form
    formation: form found establish
    follow followed: next after successor previous before precede sequel
    abbreviation: acronym short initial stand
    cast: star actor actress play
    film: movie
    movie: film
    capital: seat
    """

_MEANINGS: dict[str, tuple[str, ...]] = {}
for _line in filter(None, map(str.strip, _SAID_AS.splitlines())):
    _names, _, _words = _line.partition(": ")
    for _name in _names.split():
        _MEANINGS[_name] = tuple(_words.split())


def speaks_of(word: str, relation: str) -> bool:
    """Whether a plain word is a form of a relation's, or a way to ask about it."""
    return kin(word, relation) or any(kin(word, said) for said in _meanings(relation))


@lru_cache(maxsize=1 << 14)
def _meanings(relation: str) -> tuple[str, ...]:
    return tuple(said for form in sorted(singulars(relation)) for said in _MEANINGS.get(form, ()))
