"""Shared parts of the examples of bodies in the schema; each Input has its own."""

from typing import Final

HIT, ANSWER, QUALIFICATION = "pXq3vKZ0T8yJd1mWb6cR2g", "bD9kQm2sVt7RzYx4Hn1LwA", "3U748KXVQNUM76FK5NS67XQ1C5G5KX"
WORKER, OTHER = "c5c5c96a8462901f", "2a60cc437e62fe85"
CLAUSE: Final = {"figure": "answer_f1", "value": 0.75, "comparator": ">", "dataset": "each"}
ITEM: Final = {
    "id": "wells-1",
    "question": "In which year was the tower above the spring built?",
    "answers": ["1851"],
    "paragraphs": [{"title": "Tower", "text": "The tower above the spring was built in 1851."}],
    "supports": [0],
}
