/** Receives what the scenario does, step by step. */
export interface Reporter {
  /** Called at the start of each group of steps. */
  group(title: string): void;
  /** Called when a step has succeeded. */
  passed(sentence: string): void;
}

/** Thrown when a step of the scenario has an unexpected result. */
export class ScenarioError extends Error {
  override readonly name = "ScenarioError";
}

/** Checks the result of a step. @throws ScenarioError */
export function expectThat(condition: boolean, expectation: string): asserts condition {
  if (!condition) throw new ScenarioError(`The demo failed. Expected: ${expectation}.`);
}
