import type { RecordedCall } from "../history/read-journals.ts";
import { findWrongAudit } from "./audit.ts";
import { findWrongChanges } from "./changes.ts";
import { findWrongGrants } from "./grants.ts";
import { findNotLinearizable } from "./linearizability.ts";
import { divide } from "./objects.ts";
import type { Stored } from "./stored.ts";

/** The result of all checks. */
export interface Verdict {
  /** Each is a sentence that names the object. Empty: nothing was lost, doubled or invented. */
  readonly violations: readonly string[];
  readonly objects: number;
  /** The duration of the check for linearizability, in milliseconds. */
  readonly linearizabilityMs: number;
}

/**
 * Compares what clients recorded with what is stored.
 *
 * @param clockMoves whether the clock of the app was set during the load.
 */
export function verify(calls: readonly RecordedCall[], stored: Stored, clockMoves: boolean): Verdict {
  const objects = divide(calls);
  const startedAt = performance.now();
  const notLinearizable = [...findNotLinearizable(objects, clockMoves)];
  const linearizabilityMs = performance.now() - startedAt;
  return {
    violations: [
      ...notLinearizable,
      ...findWrongChanges(objects, stored),
      ...findWrongAudit(stored),
      ...findWrongGrants(calls, stored),
    ],
    objects: objects.items.size + objects.codes.size,
    linearizabilityMs,
  };
}
