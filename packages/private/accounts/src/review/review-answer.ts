import { type BoundsChoice, readBoundsChoice } from "./bounds-choice.js";

export interface ReviewAnswer {
  readonly scopes: readonly string[];
  readonly choice: BoundsChoice;
}

/** Reads the fields of a review page. Those that are missing or are not text count as empty. */
export function readAnswer(form: Pick<FormData | URLSearchParams, "get" | "getAll">): ReviewAnswer {
  const scopes = [...form.getAll("scope")].filter((scope) => typeof scope === "string");
  return { scopes, choice: readBoundsChoice(form) };
}
