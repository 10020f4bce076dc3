import type { AuditRow } from "@platform-rpc/server";
import * as z from "zod";
import { consoleClientId } from "../first-party-clients.js";

const time = z.iso.datetime().transform((text) => Date.parse(text));

/** What the page selects. */
export const activityQuery = z.object({
  /** `next` of the page before. */
  before: z.coerce.number().int().positive().optional(),
  from: time.optional(),
  until: time.optional(),
  operation: z.string().min(1).max(256).optional(),
  vault: z.string().min(1).max(128).optional(),
  /** Acts of the person themselves, or of software, for anyone. */
  by: z.enum(["me", "software"]).optional(),
});

export type ActivityQuery = z.infer<typeof activityQuery>;

/** The console gets a token every few minutes: listed only where the person asks for this operation. */
const hiddenOperation = "accounts/issue-console-token";

/** Who did something. The ids of other tenants, and of the app's own jobs, are never shown. */
export type ActivityActor = "you" | "member" | "software" | "platform";

/** Returns who did something, as the person sees it. */
export function actorOf(row: AuditRow, { tenantId, principalId }: Person): ActivityActor {
  if (row.tenantId !== tenantId) return "platform";
  if (row.principalId === principalId) return "you";
  if (row.principalId !== "") return "member";
  return row.oauthClientId === "" ? "platform" : "software";
}

/** Returns the OAuth client that did something; undefined if it was a person, with their browser. */
export function softwareOf(row: AuditRow, { tenantId }: Pick<Person, "tenantId">): string | undefined {
  const { oauthClientId } = row;
  return row.tenantId !== tenantId || oauthClientId === "" || oauthClientId === consoleClientId
    ? undefined
    : oauthClientId;
}

/** Returns whether the person has selected a row. */
export function isSelected(row: AuditRow, query: ActivityQuery, person: Person): boolean {
  const { from = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY, operation, vault, by } = query;
  if (row.at < from || row.at >= until) return false;
  if (operation === undefined ? row.operation === hiddenOperation : row.operation !== operation) return false;
  if (vault !== undefined && vaultOf(row.subject) !== vault) return false;
  const software = softwareOf(row, person) !== undefined;
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
