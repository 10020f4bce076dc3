import type { Strength } from "./measure.js";

/** A message to the worker. Passwords never leave the browser. */
export interface PasswordToMeasure {
  readonly id: number;
  readonly password: string;
}

export interface MeasuredPassword {
  readonly id: number;
  readonly strength: Strength;
}
