import type { ActionType } from "node-plop";
import { findLostPlaces, insert } from "./insertion.ts";
import { type NewOperation, planOperation } from "./plan.ts";
import { createPlop, template } from "./templates.ts";

/** The result of `addOperation`. Paths start at the root of the workspace. */
export interface AddedOperation {
  readonly created: readonly string[];
  readonly extended: readonly string[];
  /** Empty if the operation was added. */
  readonly failures: readonly string[];
}

/**
 * Adds the files of a new public operation to the workspace at `root`: proto, rule, operation, service, tests and changeset.
 * Files that exist are extended, never replaced. Each part that you have to write is marked TODO, and a test fails until then.
 * If a place to extend is not found, no file is changed.
 */
export async function addOperation(root: string, operation: NewOperation): Promise<AddedOperation> {
  const { files, insertions } = planOperation(root, operation);
  const lost = findLostPlaces(root, insertions);
  if (lost.length > 0) return { created: [], extended: [], failures: lost };

  const plop = await createPlop(root);
  // New files first: if one exists already, no existing file is changed.
  const actions: ActionType[] = [
    ...files.map(({ path, template: file }) => ({ type: "add", path, template: template(file) })),
    ...insertions.map((insertion) => () => {
      insert(root, insertion, plop.renderString(insertion.text, operation));
      return insertion.path;
    }),
  ];
  const generator = plop.setGenerator("operation", { description: "A public operation", prompts: [], actions });
  const { failures } = await generator.runActions(operation);
  return {
    created: files.map(({ path }) => path),
    extended: [...new Set(insertions.map(({ path }) => path))],
    failures: failures.map(({ error }) => error),
  };
}
