import type { AuditRow } from "@platform-rpc/server";
import { Hono } from "hono";
import type { AccountsEnvironment } from "../accounts-environment.js";
import type { AccountsParts } from "../accounts-parts.js";
import { apiError } from "../http/api-error.js";
import { callOf } from "../http/call-of.js";
import { requireSession, signedIn } from "../sessions/require-session.js";
import { activityQuery, actorOf, isSelected, softwareOf } from "./activity-entry.js";
import { clientNames } from "./client-names.js";

/** How many rows of the tenant are read for a page. The page then continues from where it ended. */
const readForPage = 1000;

/** How much earlier than its successor a row may be written, because clocks differ, in milliseconds. */
const disorderMs = 60 * 60_000;

/** The endpoint of the console's page "Activity": what a person may see of the audit trail, the newest first. */
export function activityApi({ own }: AccountsParts): Hono<AccountsEnvironment> {
  const routes = new Hono<AccountsEnvironment>();

  routes.get("/account/api/activity", requireSession(), async (context) => {
    const session = signedIn(context);
    const { tenantId } = session;
    const query = activityQuery.safeParse(context.req.query()).data;
    if (query === undefined) return apiError(context, "INVALID_REQUEST");
    const call = callOf(context, "list-activity", session);
    const { rows, next, readTo } = await own.listActivity({ before: query.before, limit: readForPage }, call);
    const selected = rows.filter((row) => isSelected(row, query, session));
    const software = selected.flatMap((row) => softwareOf(row, session) ?? []);
    const names = await clientNames(own, tenantId, software);
    const isOver = readTo !== undefined && query.from !== undefined && readTo < query.from - disorderMs;
    const page = {
      entries: selected.map((row) => entryOf(row, session, names)),
      next: isOver ? undefined : next,
      readTo: readTo === undefined ? undefined : isoTime(readTo),
    };
    return context.json(page, 200, { "Cache-Control": "no-store" });
  });
  return routes;
}

/** Returns what the page shows of a row. Never the id of a token. */
function entryOf(
  row: AuditRow,
  person: { readonly tenantId: string; readonly principalId: string },
  names: ReadonlyMap<string, string>,
) {
  const by = actorOf(row, person);
  const clientId = softwareOf(row, person);
  return {
    position: row.position,
    at: isoTime(row.at),
    by,
    ...(by === "member" && { principalId: row.principalId }),
    ...(clientId !== undefined && { software: { id: clientId, name: names.get(clientId) ?? clientId } }),
    operation: row.operation,
    subject: row.subject,
    event: row.event,
    version: row.versionAfter,
    requestId: row.requestId,
  };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
