import { networkOf } from "@platform-rpc/front";
import type { GetDeviceAuthorizationOutcome } from "@platform-rpc/server/host";
import { type Context, Hono } from "hono";
import { readPageForm } from "../http/bound-body.js";
import { callOf } from "../http/call-of.js";
import { clientAddress } from "../http/client-address.js";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { type Page, type PageStatus, pageResponse } from "../pages/layout.js";
import type { Session } from "../people/session.js";
import { type BoundsProblems, readBounds, type SeenBounds } from "../review/bounds-choice.js";
import { decideReview } from "../review/decide-review.js";
import { readAnswer } from "../review/review-answer.js";
import { type Answered, reviewPage } from "../review/review-page.js";
import { signInPath } from "../sessions/sign-in-path.js";
import { codePage, type DeviceOutcome, outcomePage } from "./device-pages.js";
import { reviewOfDevice } from "./device-review.js";
import { type DeviceStart, deviceStarts } from "./device-start.js";
import { formatTypedCode, pathOfCode } from "./typed-code.js";

type DeviceContext = Context<AccountsEnvironment>;
type Found = Extract<GetDeviceAuthorizationOutcome, { ok: true }>;

/** A pending request, with its bounds as the person sees them. */
interface Asked extends SeenBounds {
  readonly found: Found;
  readonly start: DeviceStart | undefined;
}

/** The outcome of an authorization that is no longer pending. */
const outcomeOf: Readonly<Record<Exclude<Found["status"], "pending">, DeviceOutcome>> = {
  approved: "approved",
  denied: "denied",
  consumed: "used",
  burned: "not possible",
  expired: "expired",
};

const invalidCode = { ok: false, reason: "USER_CODE_INVALID" } as const;

/** The response to every code that cannot be used: unknown, of another tenant, or one guess too many. A guess reveals nothing more. */
const codeNotValid =
  "This code is not valid. Compare it with the device. After 5 wrong codes, every code is rejected for 10 minutes.";

/**
 * How many wrong codes a network may send in 10 minutes: far fewer than its whole tenant. Otherwise one person with many accounts could
 * reach the limit of the tenant, and keep everybody in it from approving.
 */
export const wrongCodesOfNetwork = 15;

/**
 * The pages on which a person allows a device to act for them. They work without scripts.
 *
 * @see RFC 8628 sections 3.3 and 5
 */
export function deviceRoutes(parts: AccountsParts): Hono<AccountsEnvironment> {
  const { operations, own, clock, apiUrl, guesses } = parts;
  // Async: what `guesses` throws is a rejection, too.
  const pardon = async (key: string) => guesses?.pardon([key]);
  const routes = new Hono<AccountsEnvironment>();

  /** Looks up a code, unless the network of the caller has sent too many wrong ones. */
  const guessed = async <Outcome extends { readonly ok: boolean; readonly reason?: string }>(
    context: DeviceContext,
    lookUp: () => Promise<Outcome>,
  ): Promise<Outcome | typeof invalidCode> => {
    const key = JSON.stringify(["accounts", "user code", networkOf(clientAddress(context, parts))]);
    if ((await guesses?.guess([{ key, most: wrongCodesOfNetwork }])) === false) return invalidCode;
    let missed = false;
    try {
      const outcome = await lookUp();
      missed = outcome.reason === invalidCode.reason;
      return outcome;
    } finally {
      // What the person has decided must not fail because the guess stays counted.
      if (!missed) await pardon(key).catch(() => {});
    }
  };

  /** Finds a pending request. Returns the response if there is nothing to decide. */
  const find = async (
    context: DeviceContext,
    session: Session,
    userCode: string,
    decision?: unknown,
  ): Promise<Asked | Response> => {
    const call = callOf(context, "device", session);
    const found = await guessed(context, () => operations.getDeviceAuthorization(codeOf(session, userCode), call));
    if (!found.ok) return rejected(context, found.reason, userCode);
    if (found.status !== "pending") {
      const isLate = decision === "deny" && (found.status === "approved" || found.status === "consumed");
      return show(context, outcomePage(isLate ? "approved before" : outcomeOf[found.status]));
    }
    const { oauthClientId, requestedScopes: scopes, requestedBounds: requested } = found.authorization;
    const client = { oauthClientId, unbounded: found.oauthClientUnbounded };
    const { tenantId, deviceCodeHash } = found.authorization;
    const start = deviceStarts.read(await own.getRecord(deviceStarts.key(tenantId, deviceCodeHash), call));
    const renewable = start?.renewable === true;
    return { found, start, ...(await readBounds(parts, client, { requested, scopes, renewable }, call)) };
  };

  /** Shows a pending request. */
  const review = (
    context: DeviceContext,
    { principalId: person }: Session,
    userCode: string,
    shown: Asked & { readonly answered?: Answered },
  ) => {
    const device = {
      ...shown,
      person,
      apiHost: new URL(apiUrl).host,
      userCode: formatTypedCode(userCode),
      browserAddress: clientAddress(context, parts),
      now: clock.now(),
    };
    return show(context, reviewPage(reviewOfDevice(device)), shown.answered === undefined ? 200 : 400);
  };

  // A code in the URL (`verification_uri_complete`) only fills the field. The person compares it with the device, and continues.
  routes.get("/device", (context) =>
    show(context, codePage({ code: formatTypedCode(context.req.query("user_code") ?? "") })),
  );

  routes.post("/device", async (context) => {
    const { userCode } = await readForm(context);
    const session = context.get("session");
    if (session === undefined) return context.redirect(signInFor(userCode), 303);
    const asked = await find(context, session, userCode);
    return asked instanceof Response ? asked : review(context, session, userCode, asked);
  });

  routes.post("/device/decision", async (context) => {
    const { userCode, decision, person, answer } = await readForm(context);
    const session = context.get("session");
    if (session === undefined) return context.redirect(signInFor(userCode), 303);
    const asked = await find(context, session, userCode, decision);
    if (asked instanceof Response) return asked;
    const again = (error: string, problems: BoundsProblems = {}) => {
      const { scopes: selected, choice } = answer;
      return review(context, session, userCode, { ...asked, answered: { error, selected, choice, problems } });
    };
    if (person !== session.principalId) return again("Another person has signed in to this browser. Decide again.");
    const decided = decideReview(decision, answer, asked, session, clock.now());
    if (decided.outcome === "not accepted") return again(decided.error, decided.problems);
    if (decided.outcome === "sign in again") return context.redirect(signInFor(userCode, { again: true }), 303);
    const { outcome } = decided;
    const sent = outcome === "denied" ? "deny" : { approve: decided.scopes, bounds: decided.bounds };
    const call = callOf(context, "device", session);
    const answered = await guessed(context, () =>
      operations.answerDeviceAuthorization(codeOf(session, userCode), sent, call),
    );
    if (answered.ok) return show(context, outcomePage(outcome));
    // Decided or expired in the meantime: the page shows which.
    if (answered.reason === "DEVICE_AUTHORIZATION_DECIDED") {
      const decided = await find(context, session, userCode, decision);
      return decided instanceof Response ? decided : again("The request has changed. Decide again.");
    }
    if (answered.reason === "SCOPES_NOT_REQUESTED") {
      return again("The selection was not one of this request. Select again.");
    }
    return rejected(context, answered.reason, userCode);
  });
  return routes;
}

function show(context: DeviceContext, page: Omit<Page, "signedInAs">, status?: PageStatus) {
  return pageResponse(context, { ...page, signedInAs: context.get("session")?.displayName }, status);
}

function rejected(context: DeviceContext, reason: "USER_CODE_INVALID" | "PRINCIPAL_DISABLED", userCode: string) {
  if (reason === "PRINCIPAL_DISABLED") return show(context, outcomePage("account disabled"), 403);
  return show(context, codePage({ code: formatTypedCode(userCode), error: codeNotValid }), 400);
}

/** Reads the form. A field that is missing or is not text counts as empty. */
async function readForm(context: DeviceContext) {
  const form = await readPageForm(context);
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  return {
    userCode: text(form.get("user_code")),
    decision: form.get("decision"),
    person: form.get("person"),
    answer: readAnswer(form),
  };
}

/** Returns the path of the sign-in page, which leads back to the code. The browser keeps what the person has chosen (`browser/review.ts`). */
function signInFor(userCode: string, options?: { readonly again: true }): string {
  return signInPath(pathOfCode(userCode), options);
}

function codeOf({ tenantId, principalId }: Session, userCode: string) {
  return { tenantId, principalId, userCode };
}
