"""Derivations by the names that `--how` takes."""

from __future__ import annotations

from annotation.derivations.ablations import ABLATION_WAYS
from annotation.derivations.base import Derivation
from annotation.derivations.bridge_subquestions import BridgeSubquestions
from annotation.derivations.composable_pairs import ComposablePairs
from annotation.derivations.contexts import Contexts
from annotation.derivations.dire import REMOVALS
from annotation.derivations.disconnection_filter import DisconnectionFilter
from annotation.derivations.disconnection_inputs import DisconnectionInputs
from annotation.derivations.graphs import Graphs
from annotation.derivations.join import Join
from annotation.derivations.sample import Sample
from annotation.derivations.singlehop import SingleHop
from annotation.derivations.splits import Splits
from annotation.derivations.sufficiency_pairs import SufficiencyPairs
from annotation.derivations.unanswerable_twins import UnanswerableTwins

_ALL: tuple[Derivation, ...] = (
    SingleHop(),
    ComposablePairs(),
    DisconnectionInputs(),
    DisconnectionFilter(),
    Graphs(),
    Contexts(),
    UnanswerableTwins(),
    Splits(),
    Sample(),
    Join(),
    SufficiencyPairs(),
    *REMOVALS,
    BridgeSubquestions(),
    *ABLATION_WAYS,
)

DERIVATIONS: dict[str, Derivation] = {each.how: each for each in _ALL}
