import type { Lock } from "../lock/schema.ts";
import type { Change } from "./change.ts";
import { headerChanges, limitChanges } from "./limits.ts";
import { messageChanges } from "./messages.ts";
import { operationChanges } from "./operations.ts";
import { reasonChanges } from "./reasons.ts";

/** Everything in which today's contract differs from the released one, with what that does to callers. */
export function compareLocks(released: Lock, today: Lock): readonly Change[] {
  return [
    ...operationChanges(released, today),
    ...messageChanges(released, today),
    ...reasonChanges(released, today),
    ...limitChanges(released, today),
    ...headerChanges(released, today),
  ];
}
