import type { OauthClient, Principal } from "./access.js";
import type { AuditRecord } from "./actor.js";
import type { ClockRecord } from "./clock-agreement.js";
import type { DeviceAuthorization } from "./device-authorization.js";
import type { Grant } from "./grant.js";
import type { ItemContent, ItemStatus } from "./item.js";
import type { Vault } from "./vault.js";

/**
 * What a rule concludes from a snapshot: what is to be written, in one atomic step, and what to tell the caller.
 *
 * A refusal that must be kept (a burned code, a raised interval) is an outcome with writes, never a throw.
 */
export interface Decision<Outcome> {
  readonly outcome: Outcome;
  readonly writes: readonly Write[];
}

/** One change of what is stored. A decision writes at most one `change`. */
export type Write =
  | { readonly kind: "vault"; readonly vault: Vault }
  /** Sets or (role undefined) removes a member, and raises the vault's `accessRevision`. */
  | {
      readonly kind: "member";
      readonly tenantId: string;
      readonly vaultId: string;
      readonly principalId: string;
      readonly role: string | undefined;
    }
  /** A change of an item: storage gives it the vault's next sequence and appends it to the vault's history. */
  | {
      readonly kind: "change";
      readonly item: ItemStatus;
      /** Absent: the content stays as it is stored. */
      readonly content?: ItemContent;
    }
  /** The end of an item's content: no place in the history, and no trace of the old bytes in any file. */
  | { readonly kind: "shred"; readonly item: ItemStatus }
  | { readonly kind: "deviceAuthorization"; readonly authorization: DeviceAuthorization }
  | { readonly kind: "grant"; readonly grant: Grant }
  /** Revokes a token by its `jti`, or a grant, and with it all of its tokens, by its id. */
  | { readonly kind: "revocation"; readonly subjectId: string; readonly at: number }
  | { readonly kind: "oauthClient"; readonly oauthClient: OauthClient }
  | { readonly kind: "principal"; readonly principal: Principal }
  /** Replaces the last reading of the clocks. */
  | { readonly kind: "clock"; readonly record: ClockRecord }
  /** Binds the storage to keys, by their id. */
  | { readonly kind: "keys"; readonly keysId: string }
  | { readonly kind: "audit"; readonly record: AuditRecord };

/** A decision that writes nothing. */
export function unchanged<Outcome>(outcome: Outcome): Decision<Outcome> {
  return { outcome, writes: [] };
}
