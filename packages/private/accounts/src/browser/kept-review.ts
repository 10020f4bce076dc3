/**
 * What a person chooses on a review page stays in this tab, so that a sign-in leads back to it. Not in a URL: software could write that,
 * and choose for the person.
 */
const key = "platform: review";

/** Returns the fields of the review on which the person has last chosen something in this tab. Empty without one. */
export function keptReview(): URLSearchParams {
  return new URLSearchParams(sessionStorage.getItem(key) ?? "");
}

export function keepReview(fields: URLSearchParams): void {
  sessionStorage.setItem(key, fields.toString());
}
