import { redirectTarget } from "@platform-rpc/server/host";
import { type Context, Hono } from "hono";
import { readPageForm } from "../http/bound-body.js";
import { callOf } from "../http/call-of.js";
import type { AccountsEnvironment } from "../http/environment.js";
import { isNavigation } from "../http/navigation.js";
import { authorizePath, OAuthError } from "../http/oauth-error.js";
import { type Prompt, readAuthorizationRequest } from "../oauth/authorization-request.js";
import type { FindClient } from "../oauth/find-client.js";
import type { OAuthParts } from "../oauth/oauth-parts.js";
import { isClientUrl } from "../oauth-clients/fetch-document.js";
import { offersBounds } from "../oauth-clients/first-party-clients.js";
import { useScope } from "../oauth-clients/grants.js";
import { messagePage, pageResponse } from "../pages/layout.js";
import type { Session } from "../people/session.js";
import { type BoundsProblems, readBounds, type SeenBounds } from "../review/bounds-choice.js";
import { decideReview } from "../review/decide-review.js";
import { readAnswer } from "../review/review-answer.js";
import { type Answered, reviewPage } from "../review/review-page.js";
import { reloadAfterLink } from "../sessions/session-middleware.js";
import { signInPath } from "../sessions/sign-in-path.js";
import { type AddressedRequest, answeredAlready, createFindRecipient } from "./addressed-request.js";
import { type ApprovableRequest, type Approval, type ApprovalDecision, createApprovals } from "./approvals.js";
import { redirectBack } from "./authorization-response.js";
import { reviewOfAuthorization } from "./authorization-review.js";

/** What a person does about a request of software that contains mistakes. */
const startAgain =
  "Go back to the software that brought you here, and start again. If that does not help, ask the people who wrote it.";

type AuthorizeContext = Context<AccountsEnvironment>;

/** An authorization request that a person decides about. */
interface Asked extends AddressedRequest {
  readonly request: ApprovableRequest;
}

/**
 * The pages of the authorization endpoint, on which a person allows software to act for them. They work without scripts. A request is
 * in the URL until it is decided, so that it survives sign-in, sign-up and a reload. Mount it after `loadSession`.
 *
 * @see RFC 6749 section 4.1, RFC 9126 section 4, RFC 9207, RFC 9700
 */
export function authorizeRoutes(parts: OAuthParts, findClient: FindClient): Hono<AccountsEnvironment> {
  const { issuer, clock } = parts;
  const routes = new Hono<AccountsEnvironment>();
  const findRecipient = createFindRecipient(parts, findClient);
  const approvals = createApprovals(parts);

  /** Answers a request: with what `decide` returns for one without mistakes, otherwise with its error. */
  async function respond(context: AuthorizeContext, decide: (asked: Asked) => Promise<Response>): Promise<Response> {
    const refuse = (thrown: unknown) => {
      if (!(thrown instanceof OAuthError)) throw thrown;
      const retryAfter = thrown.headers["Retry-After"];
      if (retryAfter !== undefined) context.header("Retry-After", retryAfter);
      const status = retryAfter === undefined ? 400 : 429;
      const { code: reason, message } = thrown;
      const title = "This request cannot be answered";
      const advice = thrown === answeredAlready ? message : startAgain;
      const words =
        retryAfter === undefined ? advice : "There were too many requests. Wait a few minutes, and try again.";
      return messagePage(context, status, { title, words, text: message, support: { reason, message } });
    };
    let addressed: AddressedRequest;
    try {
      addressed = await findRecipient(context);
    } catch (thrown) {
      return refuse(thrown);
    }
    const { client, to, registered, form, problem, proofKeyId } = addressed;
    try {
      if (problem !== undefined) throw problem;
      const request = readAuthorizationRequest(form, client, proofKeyId, parts);
      const { oauthClientId } = client;
      const { redirectUri } = to;
      return await decide({
        ...addressed,
        request: { ...request, oauthClientId, redirectUri, registered, bounded: offersBounds(client, request.scopes) },
      });
    } catch (thrown) {
      if (thrown === answeredAlready || !(thrown instanceof OAuthError)) return refuse(thrown);
      return redirectBack(context, to, { error: thrown.code, error_description: thrown.message }, issuer);
    }
  }

  /** Returns the bounds of a request as a person sees them. */
  const boundsOf = (context: AuthorizeContext, session: Session, { client, request }: Asked, { scopes }: Approval) => {
    const all = [...request.scopes, ...scopes];
    const call = callOf(context, "authorize", session);
    const { bounds: requested, refreshable: renewable } = request;
    return readBounds(parts, client, { requested, scopes: all, renewable }, call);
  };

  const review = (
    context: AuthorizeContext,
    session: Session,
    { client, form, request }: Asked,
    { before, ...seen }: SeenBounds & { readonly before: Approval; readonly answered?: Answered },
  ) => {
    const clientId = form.get("client_id") ?? "";
    // Browsers apply the policy also to the redirect that follows the form.
    context.set("formTarget", request.redirectUri);
    const shown = {
      client,
      documentUrl: isClientUrl(clientId) ? clientId : undefined,
      request,
      path: pathOf(context),
      person: session.principalId,
      api: resourceInWords(request, parts),
      kept: before.scopes,
      ...seen,
    };
    const page = { ...reviewPage(reviewOfAuthorization(shown)), signedInAs: session.displayName };
    return pageResponse(context, page, seen.answered === undefined ? 200 : 400);
  };

  /** Approves scopes with their bounds, and sends the code to the client. Undefined if something has changed at the same time. */
  const approve = async (
    context: AuthorizeContext,
    session: Session,
    { request, to, taking }: Asked,
    decision: Omit<ApprovalDecision, "taking">,
  ) => {
    const call = callOf(context, "authorize", session);
    const code = await approvals.approve(session, request, { ...decision, taking }, call);
    return code === undefined ? undefined : redirectBack(context, to, { code }, issuer);
  };

  routes.get(authorizePath, async (context) => {
    // With the link of another site, the browser sends no cookie.
    const reload = reloadAfterLink(context);
    if (reload !== undefined) return reload;
    return respond(context, async (asked) => {
      const { request } = asked;
      // Software that looks at the link of a signed-in person gets no code, and uses up no pushed request.
      const session = isNavigation(context) ? context.get("session") : undefined;
      if (session === undefined && request.prompt.has("none")) {
        throw new OAuthError("login_required", "The user is not signed in.");
      }
      if (session === undefined || mustSignIn(asked, session)) return signInFirst(context, asked, session);
      const before = await approvals.find(session, request, callOf(context, "authorize", session));
      if (before.covering !== undefined && mayPassWithoutPage(request)) {
        const { scopes } = request;
        const decision = { before, scopes, ...before.covering };
        const response = await approve(context, session, asked, decision);
        if (response !== undefined) return response;
      }
      if (request.prompt.has("none")) {
        const description =
          "The user has not approved this before. If the redirect URI is not https, the request must also be bound to the key of the approval. Ask again without prompt=none.";
        throw new OAuthError("consent_required", description);
      }
      const kept = keptOf(before, request);
      return review(context, session, asked, { before: kept, ...(await boundsOf(context, session, asked, kept)) });
    });
  });

  routes.post(authorizePath, (context) =>
    respond(context, async (asked) => {
      const { request, taking } = asked;
      const session = context.get("session");
      const { decision, person, answer } = await readDecision(context);
      if (session === undefined || mustSignIn(asked, session)) return signInFirst(context, asked, session);
      const call = callOf(context, "authorize", session);
      const kept = keptOf(await approvals.find(session, request, call), request);
      const seen = await boundsOf(context, session, asked, kept);
      const { scopes: selected, choice } = answer;
      const again = (error: string, problems: BoundsProblems = {}) =>
        review(context, session, asked, { before: kept, ...seen, answered: { error, selected, choice, problems } });
      if (person !== session.principalId) return again("Another person has signed in to this browser. Decide again.");
      const scopes = request.scopes.filter((scope) => !kept.scopes.includes(scope) && selected.includes(scope));
      const shown = { kept: kept.scopes, offer: seen.offer };
      const decided = decideReview(decision, { ...answer, scopes }, shown, session, clock.now());
      switch (decided.outcome) {
        case "not accepted":
          return again(decided.error, decided.problems);
        case "sign in again":
          return signInFirst(context, asked, session);
        case "denied":
          if (taking !== undefined && !(await parts.own.putRecord(taking, call)).ok) throw answeredAlready;
          throw new OAuthError("access_denied", "The user has denied the request.");
        case "approved": {
          const { bounds = request.bounds } = decided;
          await findClient(context, asked.form, { stores: "approved" });
          const approved = { before: kept, scopes: decided.scopes, bounds, derivedFrom: undefined };
          const response = await approve(context, session, asked, approved);
          return response ?? again("Something changed in the meantime. Decide again.");
        }
      }
    }),
  );
  return routes;
}

/** Returns the name of what the tokens are for, as the person knows it. */
function resourceInWords({ target }: ApprovableRequest, { apiUrl, brokerAudience, mcp }: OAuthParts): string {
  if (target === "broker") return brokerAudience;
  const { host, pathname } = new URL(target === "mcp" ? (mcp?.url ?? apiUrl) : apiUrl);
  return target === "mcp" ? host + pathname : host;
}

/**
 * Returns what the person does not decide about again: nothing, if they are asked although they have approved everything, or if the new
 * access has limits that the old one does not have.
 */
function keptOf(before: Approval, { scopes, bounds }: ApprovableRequest): Approval {
  const asksAll = bounds !== undefined || scopes.every((scope) => before.scopes.includes(scope));
  // The page would propose uses without the hosts and the questions of the old access.
  return asksAll || before.scopes.includes(useScope) ? { ...before, scopes: [], from: [] } : before;
}

/**
 * Returns whether a request for what was approved before is answered without a page. If its redirect URI is not one of the web, any program on
 * the device can use the name of the client and receive the code (RFC 8252 section 8.6): then only if the client asks for no page, and the
 * code is bound to the key of the approval.
 */
function mayPassWithoutPage({ prompt, redirectUri, popKeyId }: ApprovableRequest): boolean {
  if (redirectTarget(redirectUri).kind === "host") return !prompt.has("consent");
  return prompt.has("none") && popKeyId !== "";
}

/** Reads the form. A field that is missing or is not text counts as empty. */
async function readDecision(context: AuthorizeContext) {
  const form = await readPageForm(context);
  return { decision: form.get("decision"), person: form.get("person"), answer: readAnswer(form) };
}

/** The values of `prompt` for which the person goes to the sign-in page, once. */
const signInPrompts: readonly Prompt[] = ["login", "select_account"];

/**
 * Returns whether the person must go to the sign-in page although they are signed in, because the client wants that and they have not done
 * it since: for a request in the URL, `signInFirst` removes the wish; a pushed request is older than the sign-in.
 */
function mustSignIn({ request: { prompt }, pushedAt = Number.POSITIVE_INFINITY }: Asked, session: Session): boolean {
  return signInPrompts.some((value) => prompt.has(value)) && session.signedInAt <= pushedAt;
}

/** Sends the browser to the sign-in page, which leads back to the request. The browser keeps what the person has chosen. */
function signInFirst(context: AuthorizeContext, { request: { prompt } }: Asked, session: Session | undefined) {
  const { pathname, searchParams } = new URL(context.req.url);
  const left = [...prompt].filter((value) => !signInPrompts.includes(value));
  if (left.length === 0) searchParams.delete("prompt");
  else if (searchParams.has("prompt")) searchParams.set("prompt", left.join(" "));
  const select = session !== undefined && prompt.has("select_account");
  const options = { select, again: session !== undefined && !select };
  return context.redirect(signInPath(`${pathname}?${searchParams}`, options), 303);
}

function pathOf(context: AuthorizeContext): string {
  const { pathname, search } = new URL(context.req.url);
  return pathname + search;
}
