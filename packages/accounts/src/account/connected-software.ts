import type { Delegation, Grant, Operations, RefreshFamily } from "@platform-rpc/server/host";
import { html } from "hono/html";
import { consoleClientId } from "../oauth-clients/first-party-clients.js";
import { mostDeletions } from "../oauth-clients/grants.js";
import type { Html } from "../pages/layout.js";
import { scopeInWords, timeInWords } from "../review/words.js";

/** Returns the names of OAuth clients by their ids. The name of a removed one is its id. */
export async function clientNames(
  { getOauthClient }: Pick<Operations, "getOauthClient">,
  tenantId: string,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const named = [...new Set(ids)].map(async (oauthClientId) => {
    const client = await getOauthClient({ tenantId, oauthClientId });
    return [oauthClientId, client?.name || oauthClientId] as const;
  });
  return new Map(await Promise.all(named));
}

/** Software that a person has allowed to act for them. Times are in milliseconds since the epoch. */
export interface ConnectedSoftware {
  /** `software` renews its tokens until the approval ends. A `grant` is the tokens of one approval, which are not renewed. */
  readonly kind: "software" | "grant";
  /** The id of the refresh family, or of the grant. */
  readonly id: string;
  /** The name of its OAuth client; its id if the client was removed. */
  readonly name: string;
  readonly oauthClientId: string;
  readonly scopes: readonly string[];
  readonly approvedAt: number;
  /** Undefined: the tokens are not renewed. */
  readonly renewedAt: number | undefined;
  readonly endsAt: number;
  /**
   * When it last got tokens, deleted an item, or was noticed to use its newest token. It may have called later, while these tokens are valid:
   * a call that changes nothing leaves no record.
   */
  readonly lastUsedAt: number;
  /** Where it signed in: see `Grant`. Undefined: unknown. */
  readonly device: string | undefined;
  /** The RFC 7638 thumbprint of the key of the device that has the tokens; empty without such a key. */
  readonly deviceKeyId: string;
  /** What the approval is limited to, and what was used of it. Absent: nothing but the scopes. */
  readonly delegation?: Pick<Delegation, "bounds" | "deletions">;
}

type Listed = Omit<ConnectedSoftware, "name">;

/** Lists the software that acts for a person: first what can be renewed, then other tokens. The console is not listed. */
export async function listConnectedSoftware(
  operations: Pick<Operations, "listRefreshFamilies" | "listGrants" | "listDelegations" | "getOauthClient">,
  person: { readonly tenantId: string; readonly principalId: string },
): Promise<readonly ConnectedSoftware[]> {
  const [families, grants, delegations] = await Promise.all([
    operations.listRefreshFamilies(person),
    operations.listGrants(person),
    operations.listDelegations(person),
  ]);
  const renewed = new Set(families.flatMap(({ liveGrants }) => liveGrants.map(({ grantId }) => grantId)));
  const others = grants.filter(
    ({ grantId, oauthClientId }) => !renewed.has(grantId) && oauthClientId !== consoleClientId,
  );
  const listed = [...families.map(ofFamily), ...others.map(ofGrant)];
  const ids = listed.map(({ oauthClientId }) => oauthClientId);
  const names = await clientNames(operations, person.tenantId, ids);
  return listed.map((one) => {
    const delegated = delegations.find(({ delegationId }) => delegationId === one.id);
    const delegation = delegated && { bounds: delegated.bounds, deletions: delegated.deletions };
    return {
      ...one,
      name: names.get(one.oauthClientId) ?? one.oauthClientId,
      lastUsedAt: Math.max(one.lastUsedAt, delegated?.lastUsedAt ?? 0),
      ...(delegation && { delegation }),
    };
  });
}

function ofFamily(family: RefreshFamily): Listed {
  const {
    familyId,
    oauthClientId,
    scopes,
    createdAt,
    rotatedAt,
    usedAt = 0,
    expiresAt,
    newestGrant,
    popKeyId,
  } = family;
  return {
    ...ofGrant(newestGrant),
    kind: "software",
    id: familyId,
    oauthClientId,
    scopes,
    approvedAt: createdAt,
    renewedAt: rotatedAt,
    endsAt: expiresAt,
    lastUsedAt: Math.max(rotatedAt, usedAt),
    deviceKeyId: popKeyId,
  };
}

function ofGrant({ grantId, oauthClientId, scopes, issuedAt, expiresAt, popKeyId, device }: Grant): Listed {
  return {
    kind: "grant",
    id: grantId,
    oauthClientId,
    scopes,
    approvedAt: issuedAt * 1000,
    renewedAt: undefined,
    endsAt: expiresAt * 1000,
    lastUsedAt: issuedAt * 1000,
    device,
    deviceKeyId: popKeyId,
  };
}

/** The section of the account page where a person ends what they have approved. */
export function softwareSection(software: readonly ConnectedSoftware[]): Html {
  return html`
    <section aria-labelledby="software">
      <h2 id="software">Software that acts for you</h2>
      <p><a href="/console/agents">Agents &amp; apps</a> shows what each may still do and what it did. There you also allow other vaults, or more
        time.</p>
      ${
        software.length === 0
          ? html`<p>None. Software that you approve, such as a command line or an agent, appears here.</p>`
          : html`<ul class="plain entries">${software.map(entry)}</ul>`
      }
    </section>`;
}

function entry({ kind, id, name, scopes, approvedAt, renewedAt, endsAt, delegation }: ConnectedSoftware): Html {
  const renewal = renewedAt === undefined ? "cannot be renewed" : `last renewed ${timeInWords(renewedAt)}`;
  return html`<li>
    <strong>${name}</strong>
    <p class="hint">Approved ${timeInWords(approvedAt)}, ${renewal}. Ends ${timeInWords(endsAt)}.</p>
    <ul class="hint">${scopes.map((scope) => html`<li>${scopeInWords(scope)}</li>`)}</ul>
    ${delegation === undefined ? "" : boundsOf(id, name, delegation)}
    <form method="post" action="/account/${kind}/end">
      <input type="hidden" name="id" value="${id}">
      <button aria-label="End access of ${name}, approved ${timeInWords(approvedAt)}">End access</button>
    </form>
  </li>`;
}

/** What the approval is limited to, and the form in which a person allows more deletions, or fewer. */
function boundsOf(id: string, name: string, { bounds, deletions }: NonNullable<ConnectedSoftware["delegation"]>): Html {
  const { vaults, actions, maxDeletions, expiresAt } = bounds;
  const limits = [
    vaults && `Only in the vaults ${vaults.join(", ") || "(none)"}.`,
    actions && `Only to ${actions.join(", ") || "do nothing"}.`,
    expiresAt !== undefined && `Only until ${timeInWords(expiresAt)}.`,
    maxDeletions === undefined
      ? `Items deleted: ${deletions}.`
      : `Items deleted: ${deletions} of at most ${maxDeletions}.`,
  ].filter((limit) => typeof limit === "string");
  const field = `deletions-${id}`;
  return html`
    <ul class="hint">${limits.map((limit) => html`<li>${limit}</li>`)}</ul>
    <form method="post" action="${allowDeletionsPath}">
      <input type="hidden" name="id" value="${id}">
      <label for="${field}">Items that ${name} may delete in total</label>
      <input type="number" id="${field}" name="deletions" min="0" max="${mostDeletions}" step="1" required
        value="${maxDeletions ?? ""}">
      <button aria-label="Save how many items ${name} may delete">Save</button>
    </form>`;
}

/** The path of the form in which a person changes how many items software may delete. */
export const allowDeletionsPath = "/account/software/deletions";
