import { unchanged } from "../../../domain/decision.js";
import { defineRule } from "../../../domain/rule.js";

/** A rule that ends the storage's thread before the commit. */
export const endThread = defineRule("endThread", (_: unknown) => {
  process.exit(7);
  return unchanged(undefined);
});

/** A rule after whose commit the storage's thread ends with an uncaught error. */
export const failThread = defineRule("failThread", (_: unknown) => {
  setImmediate(() => {
    throw new Error("a bug in the thread");
  });
  return unchanged(undefined);
});
