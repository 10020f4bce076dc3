import type { Call } from "@platform-rpc/server";
import type { Item } from "@platform-rpc/server/host";
import { type Context, Hono } from "hono";
import { readPageForm } from "../http/bound-body.js";
import { callOf } from "../http/call-of.js";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { type Page, type PageStatus, pageResponse } from "../pages/layout.js";
import { requireSession, signedIn } from "../sessions/session-middleware.js";
import { type ConsentOutcome, consentOutcomePage, consentPage, type ShownConsent } from "./consent-page.js";
import { type ConsentRequest, consentPath, createConsentRequests } from "./consent-request.js";
import { createConsents } from "./consents.js";

type ConsentContext = Context<AccountsEnvironment>;

/**
 * The page on which a person consents to what software asks for: to a deletion, by an assistant whose client cannot show a form, or to
 * a use of a secret. It does neither: the software does, when it tries again. Mount it after `loadSession`.
 */
export function consentRoutes(parts: AccountsParts): Hono<AccountsEnvironment> {
  const { operations, own } = parts;
  const routes = new Hono<AccountsEnvironment>();
  const requests = createConsentRequests(parts);
  const consents = createConsents(parts);

  /** Reads the request of a link, for the person who is signed in. */
  function readLink(context: ConsentContext) {
    const link = requests.read(context.req.query("request") ?? "");
    if (link === undefined) return "invalid";
    const { tenantId, principalId } = signedIn(context);
    const { request } = link;
    return request.tenantId === tenantId && request.principalId === principalId ? link : "other person";
  }

  /** Reads the item of a request as the person may see it. Undefined if its version is not the current one. */
  async function findItem({ vaultId, itemId, version }: ConsentRequest, call: Call): Promise<Item | undefined> {
    const found = await operations.getItem({ access: "member", vaultId, itemId }, call);
    return found.ok && found.item.state === "live" && found.item.version === version ? found.item : undefined;
  }

  /** Returns what the page says without a consent: the item stays, has changed, or is deleted already. */
  async function stateOf(request: ConsentRequest, call: Call): Promise<ConsentOutcome> {
    const { kind, vaultId, itemId, version } = request;
    if (kind === "use") return "kept";
    const found = await operations.getItem({ access: "member", vaultId, itemId }, call);
    if (!found.ok) return "changed";
    if (found.item.state !== "live") return "too late";
    return found.item.version === version ? "kept" : "changed";
  }

  async function find(request: ConsentRequest, call: Call): Promise<Omit<ShownConsent, "path"> | ConsentOutcome> {
    const client = await own.getOauthClient(request);
    if (client?.enabled !== true) return "invalid";
    const item = await findItem(request, call);
    if (item === undefined) return "changed";
    const { vaults } = await operations.listVaults({ limit: 1, vaultIds: [request.vaultId] }, call);
    const [vault] = vaults;
    return vault === undefined ? "changed" : { request, client, item, retentionDays: vault.retentionDays };
  }

  const call = (context: ConsentContext) => callOf(context, "consent", signedIn(context));

  routes.get(consentPath, requireSession(), async (context) => {
    const link = readLink(context);
    if (typeof link === "string") return showOutcome(context, link);
    const found = link.expired ? "invalid" : await find(link.request, call(context));
    if (typeof found === "string") return showOutcome(context, found);
    const { pathname, search } = new URL(context.req.url);
    return show(context, consentPage({ ...found, path: pathname + search }));
  });

  routes.post(consentPath, requireSession(), async (context) => {
    const form = await readPageForm(context);
    const link = readLink(context);
    if (typeof link === "string") return showOutcome(context, link);
    const { request, expired } = link;
    if (form.get("decision") !== "allow") {
      // Also what the person has allowed before, by whatever link: this one may have expired since.
      const withdrawal = await consents.withdraw(request, call(context));
      if (withdrawal === "too late") return showOutcome(context, withdrawal, request);
      // Read after the withdrawal: a deletion that has taken the consent ends it only once the item is deleted.
      return showOutcome(context, await stateOf(request, call(context)), request);
    }
    const found = expired ? "invalid" : await find(request, call(context));
    if (typeof found === "string") return showOutcome(context, found, request);
    await consents.give(request, call(context));
    return showOutcome(context, "allowed", request);
  });
  return routes;
}

const statuses: Readonly<Record<ConsentOutcome, PageStatus>> = {
  allowed: 200,
  kept: 200,
  invalid: 410,
  "other person": 403,
  changed: 409,
  "too late": 409,
};

function showOutcome(context: ConsentContext, outcome: ConsentOutcome, request?: ConsentRequest) {
  return show(context, consentOutcomePage(outcome, request), statuses[outcome]);
}

function show(context: ConsentContext, page: Omit<Page, "signedInAs">, status?: PageStatus) {
  return pageResponse(context, { ...page, signedInAs: signedIn(context).displayName }, status);
}
