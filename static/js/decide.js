// The page of a task that takes one decision, or several one after the other: nothing but what all of them do.
import { startDecisions } from "./decisions.js";
import { onItem } from "./item.js";

onItem(startDecisions);
