import type { Actor } from "../domain/actor.js";
import type { Delegation } from "../domain/delegation.js";

/** A call of an operation by an admitted caller. */
export interface Call {
  readonly actor: Actor;
  /** The delegation that bounds the caller, as it was at most a second ago. Default: there are no bounds. */
  readonly delegation?: Delegation | undefined;
  /** Returns whether the caller still waits for the result. If it returns false, the work is dropped before it begins. */
  readonly wanted: () => boolean;
}
