"""The base of tasks on decompositions into hops."""

from annotation.tasktype import Adaptable, Comparable, Features, Simulated, TaskType, Timed


class HopsTask(Adaptable, Timed, Simulated, Comparable, TaskType):
    """Payloads show hops as annotation.tasktype.helpers.hops makes them, with answers and paragraphs."""

    shows = ("answers", "hops", "paragraphs")

    def fits(self, features: Features) -> bool:
        return features.hops is None or features.hops > 1
