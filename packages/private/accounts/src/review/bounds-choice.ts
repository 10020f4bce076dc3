import type { Call } from "@platform-rpc/server";
import {
  type Bounds,
  longestTokenLife,
  type MemberVault,
  mostHosts,
  mostVaults,
  type OauthClient,
  type VaultAction,
} from "@platform-rpc/server/host";
import type { AccountsParts } from "../http/environment.js";
import { offersBounds } from "../oauth-clients/first-party-clients.js";
import { isHost, mostCounted } from "../oauth-clients/grants.js";
import { createOwnVaults } from "../vaults/own-vaults.js";

/** The number of deletions, and of uses, that is proposed, if the software does not ask for less. */
const proposedCount = 25;

const dayMs = 24 * 60 * 60_000;
/** For how long an approval is proposed, and for how long it can be given at most, in milliseconds. */
const [proposedLife, longestLife] = [7 * dayMs, 30 * dayMs];

/** How many vaults a page lists. Software can name others itself. */
export const mostListedVaults = 100;

/** What the fields for the bounds of an approval contain, as a person has sent it. */
export interface BoundsChoice {
  readonly vaults: readonly string[];
  readonly deletions: string;
  readonly uses: string;
  /** One on each line. Empty: all hosts of the items. */
  readonly hosts: string;
  readonly asksEachTime: boolean;
  readonly until: string;
}

export const correctFields = "Correct the fields that are marked below.";

/** What is wrong with a field. Undefined: nothing. */
export interface BoundsProblems {
  readonly vaults?: string | undefined;
  readonly deletions?: string | undefined;
  readonly uses?: string | undefined;
  readonly hosts?: string | undefined;
  readonly until?: string | undefined;
}

/** What a page proposes for an approval, and the most that a person can allow on it. */
export interface BoundsOffer {
  /** What the software limits itself to. */
  readonly requested: Bounds | undefined;
  /** The vaults that the person can choose. Undefined: the scopes need none. */
  readonly vaults: readonly Pick<MemberVault, "vaultId" | "role">[] | undefined;
  /** Whether the person has more vaults than are listed. */
  readonly moreVaults: boolean;
  /** The largest number of deletions. Undefined: the software does not ask to delete. */
  readonly mostDeletions: number | undefined;
  /** The largest number of uses of secrets. Undefined: the software does not ask to use them. */
  readonly mostUses: number | undefined;
  /** The latest end, in milliseconds since the epoch. */
  readonly latestEnd: number;
  /** Whether the person chooses the end: of software that can renew its tokens. Otherwise it is the latest one, in minutes. */
  readonly choosesEnd: boolean;
  /** What the fields contain at first. */
  readonly proposed: BoundsChoice;
}

export interface BoundsRequest {
  readonly requested: Bounds | undefined;
  /** All scopes that the approval can contain. */
  readonly scopes: readonly string[];
  /** Whether the software can renew its tokens. */
  readonly renewable: boolean;
  /** The vaults of the person, of those that the software has named. */
  readonly listed: { readonly vaults: readonly MemberVault[]; readonly hasMore: boolean };
  readonly now: number;
}

/** The bounds of a request as a person sees them. */
export interface SeenBounds {
  /** What is offered to the person. Undefined for a client whose people are offered no bounds. */
  readonly offer: BoundsOffer | undefined;
  /** What the software limits itself to. Of the vaults, those that the person has. */
  readonly bounds: Bounds | undefined;
  /** Whether the software has also named other vaults. Nobody learns whether they exist. */
  readonly namesOthers: boolean;
}

/** Returns the bounds of a request as the person of a call sees them. Vaults that were deleted are those of nobody. */
export async function readBounds(
  parts: AccountsParts,
  client: Pick<OauthClient, "oauthClientId" | "unbounded">,
  request: Omit<BoundsRequest, "listed" | "now">,
  call: Call,
): Promise<SeenBounds> {
  const { operations, own, clock } = parts;
  const { requested: bounds, scopes } = request;
  const isOffered = offersBounds(client, scopes);
  if (!isOffered && bounds?.vaults === undefined) return { offer: undefined, bounds, namesOthers: false };
  const query = { limit: mostListedVaults, vaultIds: bounds?.vaults };
  const { vaults: all, hasMore } = await operations.listVaults(query, call);
  const ownVaults = createOwnVaults({ own, operations: own, clock });
  const deleted = await Promise.all(all.map(({ vaultId }) => ownVaults.isDeleted(vaultId, call)));
  const vaults = all.filter((_, index) => deleted[index] === false);
  const named = bounds?.vaults?.filter((id) => vaults.some(({ vaultId }) => vaultId === id));
  return {
    offer: isOffered ? offerBounds({ ...request, listed: { vaults, hasMore }, now: clock.now() }) : undefined,
    bounds: named === undefined ? bounds : { ...bounds, vaults: named },
    namesOthers: named?.length !== bounds?.vaults?.length,
  };
}

/**
 * Returns the bounds that are offered to a person: all vaults, 25 deletions or uses and 7 days, or less if the software asks for less. Nobody
 * can choose for a person which 20 of more vaults they mean, so then none is chosen at first.
 */
export function offerBounds({ requested, scopes, renewable, listed, now }: BoundsRequest): BoundsOffer {
  const vaults = scopes.some((scope) => scope.startsWith("vault.items:")) ? listed.vaults : undefined;
  const mostDeletions = asksTo("delete", scopes, requested) ? (requested?.maxDeletions ?? mostCounted) : undefined;
  const mostUses = asksTo("use", scopes, requested) ? (requested?.maxUses ?? mostCounted) : undefined;
  const life = renewable ? longestLife : 1000 * longestTokenLife;
  const latestEnd = Math.min(now + life, requested?.expiresAt ?? Number.POSITIVE_INFINITY);
  const all = vaults?.map(({ vaultId }) => vaultId) ?? [];
  const choosable = !listed.hasMore && all.length <= mostVaults;
  return {
    requested,
    vaults,
    moreVaults: vaults !== undefined && listed.hasMore,
    mostDeletions,
    mostUses,
    latestEnd,
    choosesEnd: renewable,
    proposed: {
      vaults: choosable ? all : [],
      deletions: proposedOf(mostDeletions),
      uses: proposedOf(mostUses),
      hosts: mostUses === undefined ? "" : (requested?.hosts ?? []).join("\n"),
      asksEachTime: false,
      until: renewable ? minuteOf(Math.min(now + proposedLife, latestEnd)) : "",
    },
  };
}

function proposedOf(most: number | undefined): string {
  return most === undefined ? "" : String(Math.min(proposedCount, most));
}

export function asksTo(action: VaultAction, scopes: readonly string[], requested: Bounds | undefined): boolean {
  return scopes.includes(`vault.items:${action}`) && requested?.actions?.includes(action) !== false;
}

/** Reads the fields of a form. Those that are missing count as empty. */
export function readBoundsChoice(form: Pick<FormData | URLSearchParams, "get" | "getAll">): BoundsChoice {
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  return {
    vaults: form.getAll("vault").map(text),
    deletions: text(form.get("deletions")).trim(),
    uses: text(form.get("uses")).trim(),
    hosts: text(form.get("hosts")).trim(),
    asksEachTime: form.get("asks") === "each time",
    until: text(form.get("until")).trim(),
  };
}

/**
 * Returns the bounds that a person has chosen, or what is wrong with the choice. They never exceed what the software asks for.
 *
 * @param scopes the scopes that the person allows.
 */
export function decideBounds(
  { requested, vaults, mostDeletions, mostUses, latestEnd, choosesEnd }: BoundsOffer,
  choice: BoundsChoice,
  scopes: readonly string[],
  now: number,
): { readonly bounds: Bounds } | { readonly problems: BoundsProblems } {
  const deletes = mostDeletions !== undefined && asksTo("delete", scopes, requested);
  const uses = mostUses !== undefined && asksTo("use", scopes, requested);
  const hosts = hostsIn(choice.hosts);
  const problems = {
    vaults: vaults && problemOfVaults(vaults, choice.vaults),
    deletions: deletes ? problemOfCount(mostDeletions, choice.deletions) : undefined,
    uses: uses ? problemOfCount(mostUses, choice.uses) : undefined,
    hosts: uses ? problemOfHosts(requested?.hosts, hosts) : undefined,
    until: choosesEnd ? problemOfEnd(latestEnd, choice.until, now) : undefined,
  };
  if (Object.values(problems).some((problem) => problem !== undefined)) return { problems };
  const bounds = {
    ...requested,
    ...(vaults !== undefined && { vaults: choice.vaults }),
    ...(deletes && { maxDeletions: Number(choice.deletions) }),
    ...(uses && { maxUses: Number(choice.uses) }),
    ...(uses && choice.asksEachTime && { asksEachTime: true }),
    ...(uses && hosts.length > 0 && { hosts }),
    expiresAt: choosesEnd ? Math.min(timeOf(choice.until), latestEnd) : latestEnd,
  };
  return { bounds };
}

/** The same for every vault that the page does not list: nobody learns whether it exists. */
const otherVault = "Choose only vaults that are listed here.";

function problemOfVaults(listed: NonNullable<BoundsOffer["vaults"]>, chosen: readonly string[]): string | undefined {
  if (!chosen.every((id) => listed.some(({ vaultId }) => vaultId === id))) return otherVault;
  if (chosen.length > mostVaults) return `Choose at most ${mostVaults} vaults.`;
  if (chosen.length === 0 && listed.length > 0) return "Choose at least one vault, or choose Deny.";
  return undefined;
}

function problemOfCount(most: number, typed: string): string | undefined {
  if (/^\d{1,10}$/.test(typed) && Number(typed) <= most) return undefined;
  return `Enter a whole number from 0 to ${most}.`;
}

function hostsIn(typed: string): readonly string[] {
  return [...new Set(typed.toLowerCase().split(/\s+/))].filter((host) => host !== "");
}

function problemOfHosts(requested: Bounds["hosts"], hosts: readonly string[]): string | undefined {
  if (hosts.length > mostHosts) return `Enter at most ${mostHosts} hosts.`;
  if (!hosts.every(isHost)) return "Enter hosts such as api.example.com or example.com:8443, each on a line.";
  if (requested === undefined || hosts.every((host) => requested.includes(host))) return undefined;
  return "Enter only hosts that the software asks for.";
}

function problemOfEnd(latestEnd: number, typed: string, now: number): string | undefined {
  const time = timeOf(typed);
  if (Number.isNaN(time)) return "Enter a date and a time, such as 2030-12-31T18:00.";
  if (time <= now) return "Enter a time in the future.";
  // The field shows no seconds.
  if (time > timeOf(minuteOf(latestEnd))) return `Enter a time until ${minuteOf(latestEnd).replace("T", " ")} UTC.`;
  return undefined;
}

/** Returns the first whole minute that is not before a time, as a field for local times has it; in UTC. */
export function minuteOf(time: number): string {
  return new Date(Math.ceil(time / 60_000) * 60_000).toISOString().slice(0, 16);
}

/** Returns the time in a field, in milliseconds since the epoch. NaN if there is none. */
function timeOf(typed: string): number {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(typed) ? Date.parse(`${typed}Z`) : Number.NaN;
}
