"""The official scorers' definitions written out plainly, as the yardstick for ours.

HotpotQA's hotpot_evaluate_v1.py, MuSiQue's evaluate_v1.0.py and SQuAD's evaluate-v1.1.py and
evaluate-v2.0.py define these figures; here they are restated step by step, without any care for speed, so
that equality and running time can be measured against them in one process.
"""

from __future__ import annotations

import json
import re
import string
from collections import Counter, defaultdict
from pathlib import Path

HOTPOTQA_KEYS = ["em", "f1", "prec", "recall"]


def normalise(text):
    text = text.lower()
    punctuation = set(string.punctuation)
    text = "".join(character for character in text if character not in punctuation)
    text = re.sub(r"\b(a|an|the)\b", " ", text)
    return " ".join(text.split())


def exact(prediction, gold):
    return normalise(prediction) == normalise(gold)


def bag_overlap(prediction, gold):
    """F1, precision, recall of two lists of words that share at least one, else zeros."""
    common = Counter(prediction) & Counter(gold)
    same = sum(common.values())
    if same == 0:
        return 0, 0, 0
    precision = 1.0 * same / len(prediction)
    recall = 1.0 * same / len(gold)
    return (2 * precision * recall) / (precision + recall), precision, recall


def hotpotqa_f1(prediction, gold):
    closed = ["yes", "no", "noanswer"]
    predicted, right = normalise(prediction), normalise(gold)
    if predicted in closed and predicted != right:
        return 0, 0, 0
    if right in closed and predicted != right:
        return 0, 0, 0
    return bag_overlap(predicted.split(), right.split())


def squad1_f1(prediction, gold):
    return bag_overlap(normalise(prediction).split(), normalise(gold).split())[0]


def squad2_f1(prediction, gold):
    """Also MuSiQue's."""
    predicted, right = normalise(prediction).split(), normalise(gold).split()
    if not predicted or not right:
        return int(predicted == right)
    return bag_overlap(predicted, right)[0]


def support_overlap(prediction, gold):
    """EM, F1, precision, recall of two sets as HotpotQA counts them."""
    hits = sum(1 for one in prediction if one in gold)
    extra = sum(1 for one in prediction if one not in gold)
    missed = sum(1 for one in gold if one not in prediction)
    precision = 1.0 * hits / (hits + extra) if hits + extra > 0 else 0.0
    recall = 1.0 * hits / (hits + missed) if hits + missed > 0 else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
    return 1.0 if extra + missed == 0 else 0.0, f1, precision, recall


def musique_support(prediction, gold):
    """EM and F1; two empty supports score 1."""
    if not prediction and not gold:
        return 1.0, 1.0
    return support_overlap(set(map(int, prediction)), set(map(int, gold)))[:2]


def hotpotqa(gold_path: Path, predictions_path: Path) -> dict[str, float]:
    with gold_path.open(encoding="utf-8") as file:
        gold = json.load(file)
    with predictions_path.open(encoding="utf-8") as file:
        predictions = json.load(file)
    totals = {prefix + key: 0 for prefix in ("", "sp_", "joint_") for key in HOTPOTQA_KEYS}
    for record in gold:
        name = record["_id"]
        complete = True
        if name in predictions["answer"]:
            answer = predictions["answer"][name]
            em = exact(answer, record["answer"])
            f1, precision, recall = hotpotqa_f1(answer, record["answer"])
            totals["em"] += em
            totals["f1"] += f1
            totals["prec"] += precision
            totals["recall"] += recall
        else:
            complete = False
        if name in predictions["sp"]:
            sp_em, sp_f1, sp_precision, sp_recall = support_overlap(
                set(map(tuple, predictions["sp"][name])), set(map(tuple, record["supporting_facts"]))
            )
            totals["sp_em"] += sp_em
            totals["sp_f1"] += sp_f1
            totals["sp_prec"] += sp_precision
            totals["sp_recall"] += sp_recall
        else:
            complete = False
        if complete:
            joint_precision, joint_recall = precision * sp_precision, recall * sp_recall
            both = joint_precision + joint_recall
            totals["joint_em"] += em * sp_em
            totals["joint_f1"] += 2 * joint_precision * joint_recall / both if both > 0 else 0.0
            totals["joint_prec"] += joint_precision
            totals["joint_recall"] += joint_recall
    return {key: total / len(gold) for key, total in totals.items()}


def _lines(path: Path):
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def _mean(values):
    total = 0.0
    for value in values:
        total += value
    return total / len(values) if values else 0


def musique(gold_path: Path, predictions_path: Path) -> dict[str, float]:
    gold, predictions = _lines(gold_path), _lines(predictions_path)
    assert len(gold) == len(predictions)
    ems, f1s, supports = [], [], []
    groups = defaultdict(lambda: {"right": [], "called": []})
    full = False
    for record, predicted in zip(gold, predictions, strict=True):
        assert record["id"] == predicted["id"]
        answers = [record["answer"], *record["answer_aliases"]]
        places = [paragraph["idx"] for paragraph in record["paragraphs"] if paragraph["is_supporting"]]
        group = groups[record["id"]]
        group["right"].append(record["answerable"])
        group["called"].append(predicted["predicted_answerable"])
        if record["answerable"]:
            answer = predicted["predicted_answer"]
            em = max(int(exact(answer, one)) for one in answers)
            f1 = max(squad2_f1(answer, one) for one in answers)
            support = musique_support(predicted["predicted_support_idxs"], places)[1]
            ems.append(em)
            f1s.append(f1)
            supports.append(support)
            group["answer"], group["support"] = f1, support
        else:
            full = True
    scores = {
        "answer_f1": round(_mean(f1s), 3),
        "answer_em": round(_mean(ems), 3),
        "support_f1": round(_mean(supports), 3),
    }
    if full:
        assert set(Counter(predicted["id"] for predicted in predictions).values()) == {2}
        for part in ("answer", "support"):
            grouped = [g[part] if g["right"] == g["called"] else 0.0 for g in groups.values()]
            scores[f"group_{part}_sufficiency_f1"] = round(_mean(grouped), 3)
    return scores


def squad(gold_path: Path, predictions_path: Path) -> dict[str, float]:
    with gold_path.open(encoding="utf-8") as file:
        gold = json.load(file)
    with predictions_path.open(encoding="utf-8") as file:
        predictions = json.load(file)
    questions = [q for article in gold["data"] for p in article["paragraphs"] for q in p["qas"]]
    return (_squad2 if gold["version"] == "v2.0" else _squad1)(questions, predictions)


def _squad1(questions, predictions):
    em = f1 = total = 0
    for question in questions:
        total += 1
        if question["id"] not in predictions:
            continue
        prediction = predictions[question["id"]]
        golds = [answer["text"] for answer in question["answers"]]
        em += max(exact(prediction, gold) for gold in golds)
        f1 += max(squad1_f1(prediction, gold) for gold in golds)
    return {"exact_match": 100.0 * em / total, "f1": 100.0 * f1 / total}


def _squad2(questions, predictions):
    ems, f1s, answerable = {}, {}, {}
    for question in questions:
        name = question["id"]
        answerable[name] = bool(question["answers"])
        golds = [answer["text"] for answer in question["answers"] if normalise(answer["text"])] or [""]
        ems[name] = max(int(exact(predictions[name], gold)) for gold in golds)
        f1s[name] = max(squad2_f1(predictions[name], gold) for gold in golds)
    scores = {}
    kinds = [("", list(ems))]
    kinds.append(("HasAns_", [name for name in ems if answerable[name]]))
    kinds.append(("NoAns_", [name for name in ems if not answerable[name]]))
    for prefix, names in kinds:
        if names:
            scores[prefix + "exact"] = 100.0 * sum(ems[name] for name in names) / len(names)
            scores[prefix + "f1"] = 100.0 * sum(f1s[name] for name in names) / len(names)
            scores[prefix + "total"] = len(names)
    return scores


TWOWIKI_KEYS = [prefix + key for prefix in ("", "sp_", "evi_", "joint_") for key in HOTPOTQA_KEYS]


def words(text):
    return " ".join("".join(sign for sign in text.lower() if sign not in set(string.punctuation)).split())


def twowiki(gold_path: Path, predictions_path: Path, aliases_path: Path) -> dict[str, float]:
    """2wikimultihop_evaluate_v1.1.py."""
    gold, predictions = json.loads(gold_path.read_text()), json.loads(predictions_path.read_text())
    names = {row["Q_id"]: row["aliases"] + row["demonyms"] for row in _lines(aliases_path)}
    totals = dict.fromkeys(TWOWIKI_KEYS, 0.0)
    for record in gold:
        earned = {}
        name = record["_id"]
        if name in predictions["answer"]:
            earned[""] = twowiki_answer(
                predictions["answer"][name], [record["answer"], *names.get(record["answer_id"], [])]
            )
        if name in predictions["sp"]:
            said, right = (
                [(title.lower(), number) for title, number in set(map(tuple, facts))]
                for facts in (predictions["sp"][name], record["supporting_facts"])
            )
            earned["sp_"] = support_overlap(said, right)
        if name in predictions["evidence"]:
            earned["evi_"] = twowiki_evidence(predictions["evidence"][name], twowiki_variants(record, names))
        if len(earned) == 3:
            em = precision = recall = 1.0
            for part_em, _f1, part_precision, part_recall in earned.values():
                em, precision, recall = em * part_em, precision * part_precision, recall * part_recall
            earned["joint_"] = em, harmonic(precision, recall), precision, recall
        for prefix, figures in earned.items():
            for key, value in zip(HOTPOTQA_KEYS, figures, strict=True):
                totals[prefix + key] += value
    return {key: round(total / len(gold) * 100, 2) for key, total in totals.items()}


def harmonic(precision, recall):
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def twowiki_answer(prediction, golds):
    best = [0.0, 0.0, 0.0, 0.0]
    for gold in golds:
        found = [float(exact(prediction, gold)), *hotpotqa_f1(prediction, gold)]
        best = [max(pair) for pair in zip(best, found, strict=True)]
    return best


def twowiki_variants(record, names):
    found = []
    for place, (subject, relation, target) in enumerate(record["evidences"]):
        ids = record["evidences_id"][place] if record["evidences_id"] else ("", "", "")
        subjects, targets = [subject, *names.get(ids[0], [])], [target, *names.get(ids[2], [])]
        found.append({(words(one), words(relation), words(other)) for one in subjects for other in targets})
    return found


def twowiki_evidence(prediction, variants):
    said = {tuple(map(words, triple)) for triple in prediction}
    hits = sum(any(triple in of for of in variants) for triple in said)
    precision = hits / len(said) if said else 0.0
    recall = hits / len(variants) if variants else 0.0
    return float(hits == len(said) == len(variants)), harmonic(precision, recall), precision, recall
