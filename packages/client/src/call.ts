import type { Operation } from "./contract.js";
import type { Deadline } from "./deadline.js";
import type { CallInfo } from "./hooks.js";

/** What is known of a call while it runs: enough to tell what its failure means. */
export interface Call {
  readonly operation: Operation;
  /** The id that the client gave the call; an answer may bring another. */
  readonly requestId: string;
  /** What hooks may see of it. */
  readonly info: CallInfo;
  /** Whether the caller, should it send the call again, sends the same Idempotency-Key. */
  readonly callerHasKey: boolean;
  readonly deadline: Deadline;
  /** What must not be told, should an answer repeat it. */
  readonly secrets: Set<string>;
}
