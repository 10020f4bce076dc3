import type { Actor } from "../domain/actor.js";

/** A call of an operation by an admitted caller. */
export interface Call {
  readonly actor: Actor;
  /** Returns whether the caller still waits for the result. If it returns false, the work is dropped before it begins. */
  readonly wanted: () => boolean;
}
