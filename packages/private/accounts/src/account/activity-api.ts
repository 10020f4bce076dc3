import type { Call, Operations } from "@platform-rpc/server";
import type { AuditRow } from "@platform-rpc/server/host";
import { Hono } from "hono";
import * as z from "zod";
import { callOf } from "../http/call-of.js";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { isoTime } from "../http/json-body.js";
import { RequestError } from "../http/request-error.js";
import { consoleClientId } from "../oauth-clients/first-party-clients.js";
import { requireSession, signedIn } from "../sessions/session-middleware.js";
import { clientNames } from "./connected-software.js";

/** How many rows of the tenant are read for a page. The page then continues from where it ended. */
const readForPage = 1000;

/** How much earlier than its successor a row may be written, because clocks differ, in milliseconds. */
const disorderMs = 60 * 60_000;

/** The endpoint of the console's page "Activity": what a person may see of the audit trail, the newest first. */
export function activityApi({ own }: AccountsParts): Hono<AccountsEnvironment> {
  const routes = new Hono<AccountsEnvironment>();

  routes.get("/account/api/activity", requireSession(), async (context) => {
    const session = signedIn(context);
    const query = activityQuery.safeParse(context.req.query()).data;
    if (query === undefined) throw new RequestError("INVALID_REQUEST");
    return context.json(await listActivity(own, query, session, callOf(context, "list-activity", session)));
  });
  return routes;
}

/** Returns a page of entries, the newest first. */
export async function listActivity(
  own: Pick<Operations, "listActivity" | "getOauthClient">,
  query: ActivityQuery,
  person: Person,
  call: Call,
) {
  const { rows, next, readTo } = await own.listActivity({ before: query.before, limit: readForPage }, call);
  const selected = rows.filter((row) => isSelected(row, query, person));
  const software = selected.flatMap((row) => [softwareOf(row, person) ?? [], aboutOf(row) ?? []].flat());
  const names = await clientNames(own, person.tenantId, software);
  const isOver = readTo !== undefined && query.from !== undefined && readTo < query.from - disorderMs;
  return {
    entries: selected.map((row) => entryOf(row, person, names)),
    /** Where the next page begins. Undefined: this is the last one. */
    next: isOver ? undefined : next,
    /** The time up to which the trail was read. Undefined: it is empty. */
    readTo: readTo === undefined ? undefined : isoTime(readTo),
  };
}

/** Returns what the page shows of a row. Never the id of a token. */
function entryOf(row: AuditRow, person: Person, names: ReadonlyMap<string, string>) {
  const by = actorOf(row, person);
  const clientId = softwareOf(row, person);
  const about = aboutOf(row);
  return {
    position: row.position,
    at: isoTime(row.at),
    by,
    ...(by === "member" && { principalId: row.principalId }),
    ...(clientId !== undefined && { software: { id: clientId, name: names.get(clientId) ?? clientId } }),
    /** The name of the software that was allowed something, or refused. */
    ...(about !== undefined && { about: names.get(about) ?? about }),
    operation: row.operation,
    subject: row.subject,
    event: row.event,
    version: row.versionAfter,
    requestId: row.requestId,
  };
}

const time = z.iso.datetime().transform((text) => Date.parse(text));

const activityQuery = z.object({
  /** `next` of the page before. */
  before: z.coerce.number().int().positive().optional(),
  from: time.optional(),
  until: time.optional(),
  kind: z.enum(["items", "sign-ins", "agents"]).optional(),
  vault: z.string().min(1).max(128).optional(),
  /** An item, as the subject of an entry names it: `v-1/i-1`. */
  item: z.string().min(1).max(257).optional(),
  /** The id of an OAuth client. */
  software: z.string().min(1).max(2048).optional(),
  /** Acts of the person themselves, or of software, for anyone. */
  by: z.enum(["me", "software"]).optional(),
});

type ActivityQuery = z.infer<typeof activityQuery>;

/** The console gets a token every few minutes: it is part of the session that is listed. */
const hiddenOperation = "accounts/issue-console-token";

/** The kinds of entries, by what the subject of an entry begins with. Agents are also what software did. */
const kinds: Readonly<Record<NonNullable<ActivityQuery["kind"]>, RegExp>> = {
  items: /^(?:item|vault|member):/,
  "sign-ins": /^(?:account|passkey|principal|session):/,
  agents: /^(?:authorization-code|delegation|device-authorization|grant|refresh-family):/,
};

/** Who did something. The ids of other tenants, and of the app's own jobs, are never shown. */
type ActivityActor = "you" | "member" | "software" | "platform";

function actorOf(row: AuditRow, { tenantId, principalId }: Person): ActivityActor {
  if (row.tenantId !== tenantId) return "platform";
  if (row.principalId === principalId) return "you";
  if (row.principalId !== "") return "member";
  return row.oauthClientId === "" ? "platform" : "software";
}

/** Returns the OAuth client that did something; undefined if it was a person, with their browser. */
function softwareOf(row: AuditRow, { tenantId }: Pick<Person, "tenantId">): string | undefined {
  const { oauthClientId } = row;
  return row.tenantId !== tenantId || oauthClientId === "" || oauthClientId === consoleClientId
    ? undefined
    : oauthClientId;
}

/** Returns the OAuth client about which a person has decided. */
function aboutOf({ subject, event }: AuditRow): string | undefined {
  const [, decided] = /^(?:device-authorization|authorization-code):(.+)\/[^/]*$/.exec(subject) ?? [];
  return decided ?? /^(?:deletion|use) by (.+?)(?: at \S+)? (?:allowed|withdrawn)$/.exec(event)?.[1];
}

function isSelected(row: AuditRow, query: ActivityQuery, person: Person): boolean {
  const { from = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY, kind, vault, item, by } = query;
  const clientId = softwareOf(row, person);
  if (row.at < from || row.at >= until || row.operation === hiddenOperation) return false;
  const isOfKind = kind === undefined || kinds[kind].test(row.subject) || (kind === "agents" && clientId !== undefined);
  if (!isOfKind) return false;
  if (vault !== undefined && vaultOf(row.subject) !== vault) return false;
  if (item !== undefined && row.subject !== `item:${item}`) return false;
  if (query.software !== undefined && clientId !== query.software) return false;
  const software = clientId !== undefined;
  if (by === "software") return software;
  return by === undefined || (!software && actorOf(row, person) === "you");
}

/** Returns the vault of a subject, such as `item:v-1/i-1`. */
function vaultOf(subject: string): string | undefined {
  return /^(?:item|vault|member):([^/]+)/.exec(subject)?.[1];
}

interface Person {
  readonly tenantId: string;
  readonly principalId: string;
}
