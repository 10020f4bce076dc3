import type { Actor } from "../domain/actor.js";

/** A call of an operation, as its caller was admitted. */
export interface Call {
  readonly actor: Actor;
  /** Whether somebody still waits for the answer. Work that nobody waits for is dropped before it begins. */
  readonly wanted: () => boolean;
}
