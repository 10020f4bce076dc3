import { isListOf, may, type OptionRules } from "@platform-rpc/options";
import { type CallRef, createError } from "../error/create-error.js";
import type { AuthorizationServer } from "./authorization-server.js";

const actions: readonly unknown[] = ["read", "write", "delete", "restore", "use"];

/** What a program asks to be limited to, besides its scopes. The person who approves sees it, and can allow less. */
export interface SessionBounds {
  /** The ids of the vaults: 1 to 20. Default: all vaults of the person. */
  readonly vaults?: readonly string[] | undefined;
  /** What the program may do with the items. Default: everything that its scopes allow. */
  readonly actions?: readonly ("read" | "write" | "delete" | "restore" | "use")[] | undefined;
  /** How many items it may delete. Restoring an item gives nothing back. Default: no limit. */
  readonly maxDeletions?: number | undefined;
  /** How often it may use secrets, which it never sees. Default: no limit. */
  readonly maxUses?: number | undefined;
  /** Where it may use them: 1 to 20 exact hosts in lower case, such as `api.example.com`. Default: all hosts of the items. */
  readonly hosts?: readonly string[] | undefined;
  /** When the approval ends, in whole seconds. Default: after 30 days, like every approval. */
  readonly expiresAt?: Date | undefined;
}

/** Creates a rule for a list that may be absent, but not empty: an absent limit allows everything, so an empty one is a mistake. */
const listOf = (isElement: (value: unknown) => boolean, expected: string, most: number) =>
  may(expected, (value) => isListOf(value, isElement) && value.length > 0 && value.length <= most);

const isCount = (value: unknown = 0) => (Number.isInteger(value) && Number(value) >= 0) || "must be an integer from 0";

export const boundsRules: OptionRules<SessionBounds> = {
  vaults: listOf(
    (id) => typeof id === "string" && id !== "",
    "be a list of 1 to 20 ids of vaults, or absent for all vaults",
    20,
  ),
  actions: listOf(
    (action) => actions.includes(action),
    `be a list of ${actions.join(", ")}, or absent for all of them`,
    actions.length,
  ),
  maxDeletions: isCount,
  maxUses: isCount,
  hosts: listOf(
    (host) => typeof host === "string" && host !== "",
    "be a list of 1 to 20 hosts, or absent for all hosts of the items",
    20,
  ),
  expiresAt: (value = new Date()) =>
    (value instanceof Date && !Number.isNaN(value.getTime())) || "must be a Date that is valid",
};

/**
 * Returns the parameter that asks for bounds (RFC 9396 section 2). None without bounds.
 *
 * @throws PlatformError with the code `unimplemented` if the server does not know bounds: it would ignore them, and allow everything.
 */
export function detailsOf(
  { metadata, host }: AuthorizationServer,
  call: CallRef,
  bounds: SessionBounds | undefined,
): { readonly authorization_details?: string } {
  if (!bounds) return {};
  const { authorization_details_types_supported: types } = metadata;
  if (!Array.isArray(types) || !types.includes("vault")) {
    const text = `${host} cannot limit an approval, and would allow more than the option bounds asks for. Nobody was asked.`;
    throw createError(call, undefined, "unimplemented", text);
  }
  const { vaults, actions, maxDeletions, maxUses, hosts, expiresAt } = bounds;
  // JSON has no member for what is absent.
  const detail = {
    type: "vault",
    vaults,
    actions,
    max_deletions: maxDeletions,
    max_uses: maxUses,
    hosts,
    expires_at: expiresAt && Math.floor(expiresAt.getTime() / 1000),
  };
  return { authorization_details: JSON.stringify([detail]) };
}
