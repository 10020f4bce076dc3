import { type BoundsChoice, type BoundsOffer, formOf, narrowOffer, readBoundsChoice } from "./bounds-choice.js";
import type { Answered } from "./review-page.js";

export interface ReviewAnswer {
  readonly scopes: readonly string[];
  readonly choice: BoundsChoice;
}

/** The field and the parameter that carry an answer through a sign-in. */
export const answerParameter = "answer";

/** Reads the fields of a review page. Those that are missing or are not text count as empty. */
export function readAnswer(form: Pick<FormData | URLSearchParams, "get" | "getAll">): ReviewAnswer {
  const scopes = [...form.getAll("scope")].filter((scope) => typeof scope === "string");
  return { scopes, choice: readBoundsChoice(form) };
}

/** Returns an answer as text, which `readCarriedAnswer` reads. It contains empty fields, too: the person has cleared them. */
export function formOfAnswer({ scopes, choice }: ReviewAnswer): string {
  const form = new URLSearchParams(formOf(choice));
  for (const scope of scopes) form.append("scope", scope);
  return form.toString();
}

/** Reads an answer that was carried through a sign-in. Undefined without one. */
export function readCarriedAnswer(text: unknown): ReviewAnswer | undefined {
  return typeof text === "string" && text !== "" ? readAnswer(new URLSearchParams(text)) : undefined;
}

/**
 * Returns what a review page shows at first: what the person had chosen before they had to sign in. Software can write that, too, so it
 * can only propose less than the page does.
 */
export function resumeReview(
  offer: BoundsOffer | undefined,
  before: ReviewAnswer | undefined,
): { readonly offer: BoundsOffer | undefined; readonly answered: Answered | undefined } {
  if (before === undefined) return { offer, answered: undefined };
  return {
    offer: offer && narrowOffer(offer, before.choice),
    answered: { error: undefined, selected: before.scopes },
  };
}
