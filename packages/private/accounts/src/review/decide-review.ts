import type { Bounds } from "@platform-rpc/server/host";
import { isRecent, type Session } from "../people/session.js";
import { type BoundsOffer, type BoundsProblems, correctFields, decideBounds } from "./bounds-choice.js";
import type { ReviewAnswer } from "./review-answer.js";

export type ReviewDecision =
  | { readonly outcome: "denied" }
  /** `scopes` contains those that the software keeps. `bounds` is undefined if none were offered. */
  | { readonly outcome: "approved"; readonly scopes: readonly string[]; readonly bounds: Bounds | undefined }
  /** The answer can be approved after another sign-in. */
  | { readonly outcome: "sign in again" }
  | { readonly outcome: "not accepted"; readonly error: string; readonly problems?: BoundsProblems };

/**
 * Decides what follows from an answer. Mistakes come before the sign-in, so that nobody signs in for an answer that is then rejected.
 *
 * @param decision the button that the person has chosen
 * @param shown.kept the scopes that the software keeps from an earlier approval. Default: none.
 */
export function decideReview(
  decision: unknown,
  { scopes, choice }: ReviewAnswer,
  { kept = [], offer }: { readonly kept?: readonly string[]; readonly offer: BoundsOffer | undefined },
  session: Session,
  now: number,
): ReviewDecision {
  if (decision === "deny") return { outcome: "denied" };
  if (decision !== "approve") return { outcome: "not accepted", error: "Choose Deny or Approve." };
  if (scopes.length === 0) {
    return { outcome: "not accepted", error: "Nothing is selected. Select what you allow, or choose Deny." };
  }
  const all = [...new Set([...kept, ...scopes])].sort();
  const chosen = offer === undefined ? { bounds: undefined } : decideBounds(offer, choice, all, now);
  if ("problems" in chosen) return { outcome: "not accepted", error: correctFields, problems: chosen.problems };
  return isRecent(session, now) ? { outcome: "approved", scopes: all, ...chosen } : { outcome: "sign in again" };
}
