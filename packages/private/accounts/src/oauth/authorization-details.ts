import { type Bounds, mostHosts, mostVaults, vaultActions } from "@platform-rpc/server/host";
import * as z from "zod";
import { OAuthError } from "../http/oauth-error.js";
import { authorizationDetailsTypes, isHost, mostCounted } from "../oauth-clients/grants.js";
import type { Form } from "./read-form.js";

const different = (values: readonly string[]) => new Set(values).size === values.length;

// Clients read the rules: never let one repeat what a request contains.
const vaultsRule = `must be 1 to ${mostVaults} different ids of vaults, or absent: absent means all`;
const actionsRule = `must be different ones of ${vaultActions.join(", ")}, at least one, or absent: absent means all`;

const hostsRule = `must be 1 to ${mostHosts} different hosts in lower case, such as api.example.com or example.com:8443, or absent: absent means all`;

const vaultId = z
  .string(vaultsRule)
  .max(128, vaultsRule)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]*$/, vaultsRule);

/** The ids of vaults. Nobody can ask for none: an absent list means all. */
export const vaultIds = z
  .array(vaultId, vaultsRule)
  .min(1, vaultsRule)
  .max(mostVaults, vaultsRule)
  .refine(different, vaultsRule);

/** What software can do with items. Nobody can ask for nothing: an absent list means all. */
export const actionList = z
  .array(z.enum(vaultActions, actionsRule), actionsRule)
  .min(1, actionsRule)
  .max(vaultActions.length, actionsRule)
  .refine(different, actionsRule);

/** The hosts at which software may use secrets: exact ones, without the port 443. Nobody can ask for none: an absent list means all. */
export const hostList = z
  .array(z.string(hostsRule).max(262, hostsRule).refine(isHost, hostsRule), hostsRule)
  .min(1, hostsRule)
  .max(mostHosts, hostsRule)
  .refine(different, hostsRule);

/** The last second of the year 9999. */
const longestDate = 253_402_300_799;

const listRule = "must be an array of one object in JSON: an approval has one set of limits";
const typeRule = `must be ${authorizationDetailsTypes.join(", ")}`;
const objectRule =
  "must be an object with the members type, vaults, actions, max_deletions, max_uses, hosts and expires_at, each once";
const countRule = `must be an integer from 0 to ${mostCounted}`;
const expiryRule = "must be a time in the future, in seconds since the epoch";

const count = z.int(countRule).min(0, countRule).max(mostCounted, countRule);

/** `authorization_details` with one element of the type `vault` (RFC 9396 section 2). */
const authorizationDetails = z.tuple(
  [
    z.strictObject(
      {
        type: z.enum(authorizationDetailsTypes, typeRule),
        vaults: vaultIds.optional(),
        actions: actionList.optional(),
        max_deletions: count.optional(),
        max_uses: count.optional(),
        hosts: hostList.optional(),
        expires_at: z.int(expiryRule).min(0, expiryRule).max(longestDate, expiryRule).optional(),
      },
      objectRule,
    ),
  ],
  listRule,
);

/** The longest value, in characters of a URL. The request is in the URL of the sign-in page, where it is encoded twice. */
const longestDetails = 4096;

/**
 * Returns the limits that a client asks for: the most that its approval can allow (RFC 9396 sections 2 and 5). Undefined if it asks for
 * none.
 *
 * @throws OAuthError invalid_authorization_details, also for a limit that is not understood: it must not be ignored.
 */
export function readAuthorizationDetails(form: Form, now: number): Bounds | undefined {
  const text = form.get("authorization_details");
  if (text === undefined) return undefined;
  if (encodeURIComponent(text).length > longestDetails) {
    throw invalidDetails(`authorization_details is longer than ${longestDetails} characters in a URL.`);
  }
  const { data, error } = authorizationDetails.safeParse(readJson(text));
  if (data === undefined) throw invalidDetails(`${brokenRule(error)}.`);
  const [detail] = data;
  // JSON.parse keeps the last of several members with the same name.
  if (countMembers(text) !== Object.keys(detail).length)
    throw invalidDetails(`authorization_details[0] ${objectRule}.`);
  const { vaults, actions, max_deletions: maxDeletions, max_uses: maxUses, hosts, expires_at: expiry } = detail;
  const expiresAt = expiry && 1000 * expiry;
  if (expiresAt !== undefined && expiresAt <= now) {
    throw invalidDetails(`authorization_details[0].expires_at ${expiryRule}.`);
  }
  return { vaults, actions, maxDeletions, maxUses, hosts, expiresAt };
}

/**
 * Rejects a token request with `authorization_details` (RFC 9396 section 6). All tokens of an approval share its limits and its number of
 * deletions, so one token cannot have less, and a client that asks for less must not get more than it asked for.
 *
 * @throws OAuthError invalid_authorization_details
 */
export function rejectAuthorizationDetails(form: Form): void {
  if (!form.has("authorization_details")) return;
  throw invalidDetails(
    "Tokens have the limits of their approval. Send authorization_details with the authorization request instead.",
  );
}

function invalidDetails(description: string): OAuthError {
  return new OAuthError("invalid_authorization_details", description);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the first rule that is broken, with its place, such as `authorization_details[0].vaults`. */
function brokenRule({ issues: [issue] }: z.ZodError): string {
  // A part of the place could be a text of the request only if the schema had a record.
  const path = issue?.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  return `authorization_details${path} ${issue?.message}`;
}

/** Counts the members of the only object in a JSON text: the colons outside of strings. */
function countMembers(json: string): number {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"/g, "").split(":").length - 1;
}
