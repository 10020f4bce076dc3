import { type Context, Hono } from "hono";
import { callOf } from "../http/call-of.js";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { type Page, type PageStatus, pageResponse } from "../pages/layout.js";
import { requireSession, signedIn } from "../sessions/session-middleware.js";
import { createDeletionConsents } from "./deletion-consents.js";
import { type DeletionOutcome, deletionOutcomePage, deletionPage, type ShownDeletion } from "./deletion-page.js";
import { createDeletionRequests, type DeletionRequest, deletionPath } from "./deletion-request.js";

type ConsentContext = Context<AccountsEnvironment>;

/** The vaults that are read at a time. */
const pageSize = 100;

/**
 * The page on which a person consents to a deletion, for an assistant whose client cannot show a form. It deletes nothing: the assistant
 * does, when it calls its tool again. Mount it after `loadSession`.
 */
export function deletionRoutes(parts: AccountsParts): Hono<AccountsEnvironment> {
  const { operations, own } = parts;
  const routes = new Hono<AccountsEnvironment>();
  const requests = createDeletionRequests(parts);
  const consents = createDeletionConsents(parts);

  /** Reads the request of a link, and what it is about as the person may see it. */
  async function find(
    context: ConsentContext,
  ): Promise<{ readonly request: DeletionRequest; readonly shown: ShownDeletion } | DeletionOutcome> {
    const session = signedIn(context);
    const request = requests.read(context.req.query("request") ?? "");
    if (request === undefined) return "invalid";
    const { tenantId, principalId, oauthClientId, vaultId, itemId, version } = request;
    if (tenantId !== session.tenantId || principalId !== session.principalId) return "other person";
    const call = callOf(context, "deletion-consent", session);
    const client = await own.getOauthClient({ tenantId, oauthClientId });
    if (client?.enabled !== true) return "invalid";
    const found = await operations.getItemAsMember({ vaultId, itemId }, call);
    if (!found.ok || found.item.state !== "live" || found.item.version !== version) return "changed";
    const retentionDays = await retentionOf(vaultId);
    if (retentionDays === undefined) return "changed";
    const { pathname, search } = new URL(context.req.url);
    return { request, shown: { client, item: found.item, retentionDays, path: pathname + search } };

    async function retentionOf(id: string): Promise<number | undefined> {
      for (let afterVaultId: string | undefined; ; ) {
        const { vaults, hasMore } = await operations.listVaults({ afterVaultId, limit: pageSize }, call);
        const vault = vaults.find((one) => one.vaultId === id);
        if (vault !== undefined || !hasMore) return vault?.retentionDays;
        afterVaultId = vaults.at(-1)?.vaultId;
      }
    }
  }

  routes.get(deletionPath, requireSession(), async (context) => {
    const found = await find(context);
    return typeof found === "string" ? showOutcome(context, found) : show(context, deletionPage(found.shown));
  });

  routes.post(deletionPath, requireSession(), async (context) => {
    const form = await context.req.formData().catch(() => new FormData());
    const found = await find(context);
    if (typeof found === "string") return showOutcome(context, found);
    const call = callOf(context, "deletion-consent", signedIn(context));
    if (form.get("decision") === "delete") {
      await consents.give(found.request, call);
      return showOutcome(context, "allowed");
    }
    // Also what the person has allowed before.
    await consents.take(found.request, call);
    return showOutcome(context, "kept");
  });
  return routes;
}

const statuses: Readonly<Record<DeletionOutcome, PageStatus>> = {
  allowed: 200,
  kept: 200,
  invalid: 410,
  "other person": 403,
  changed: 409,
};

function showOutcome(context: ConsentContext, outcome: DeletionOutcome) {
  return show(context, deletionOutcomePage(outcome), statuses[outcome]);
}

function show(context: ConsentContext, page: Omit<Page, "signedInAs">, status?: PageStatus) {
  return pageResponse(context, { ...page, signedInAs: signedIn(context).displayName }, status);
}
