export interface Reporter {
  group(title: string): void;
  passed(sentence: string): void;
}

export class ScenarioError extends Error {
  override readonly name = "ScenarioError";
}

/** Checks the result of a step. @throws ScenarioError */
export function expectThat(condition: boolean, expectation: string): asserts condition {
  if (!condition) throw new ScenarioError(`The demo failed. Expected: ${expectation}.`);
}
