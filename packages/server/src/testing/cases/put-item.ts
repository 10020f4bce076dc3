import type { ItemContent } from "../../domain/model/item.js";
import { conflictWith, content, type ItemCase, type ItemGiven, type ItemOutcome } from "./item-case.js";

const row = (
  title: string,
  given: ItemGiven,
  baseVersion: number,
  outcome: ItemOutcome,
  put: ItemContent = content,
): ItemCase => ({
  section: "INTERNAL, PutItem: as DeleteItem in DECISIONS section 3",
  title,
  given,
  call: { operation: "PutItem", baseVersion, content: put },
  outcome,
});

const live = ["put", "put", "put"] as const;
const tombstone = [...live, "delete"] as const;

const { encryptedPayload: payload } = content;
const [key = { recipientId: "", wrapAlg: "", wrappedKey: "" }] = content.wrappedKeys;

/** Contents that differ from the stored one in one value. */
const others: readonly (readonly [string, ItemContent])[] = [
  ["kind", { ...content, kind: "card" }],
  ["titleHash", { ...content, titleHash: "" }],
  ["alg", { ...content, encryptedPayload: { ...payload, alg: "XC20P" } }],
  ["nonce", { ...content, encryptedPayload: { ...payload, nonce: "" } }],
  ["aad", { ...content, encryptedPayload: { ...payload, aad: "" } }],
  ["ciphertext", { ...content, encryptedPayload: { ...payload, ciphertext: "" } }],
  ["payload version", { ...content, encryptedPayload: { ...payload, version: 2 } }],
  ["a missing wrapped key", { ...content, wrappedKeys: [] }],
  ["an additional wrapped key", { ...content, wrappedKeys: [key, { ...key, recipientId: "u-2" }] }],
  ["recipient", { ...content, wrappedKeys: [{ ...key, recipientId: "u-2" }] }],
  ["wrapAlg", { ...content, wrappedKeys: [{ ...key, wrapAlg: "RSA-OAEP-256" }] }],
  ["wrapped key", { ...content, wrappedKeys: [{ ...key, wrappedKey: "b3RoZXI" }] }],
];
const card: ItemContent = { ...content, kind: "card" };

/** The cases of PutItem, for members and administrators. */
export const putItemCases: readonly ItemCase[] = [
  row("a vault that is missing", { vault: "missing" }, 0, { reason: "VAULT_NOT_FOUND" }),
  row("a vault of another tenant", { vault: "of another tenant" }, 0, { reason: "VAULT_NOT_FOUND" }),
  row("a caller who is not a member", { role: "none", history: live }, 3, { reason: "VAULT_NOT_FOUND" }),
  ...["viewer", "auditor"].map((role) =>
    row(`the role ${role}`, { role, history: live }, 3, { reason: "ROLE_FORBIDS_CHANGE" }),
  ),

  row("creates at version 1", {}, 0, { changed: "created", version: 1, sequence: 2 }),
  row("a retry of a creation above the floor", { floor: 9, history: ["put"] }, 0, {
    version: 10,
    deleted: false,
    sequence: 2,
  }),
  ...["owner", "admin", "member"].map((role) =>
    row(
      `an ${role} replaces`,
      { role, history: live },
      3,
      { changed: "replaced", version: 4, sequence: 5, content: card },
      card,
    ),
  ),
  row("replaces a restored item", { history: [...tombstone, "restore"] }, 5, {
    changed: "replaced",
    version: 6,
    sequence: 7,
  }),
  row("an exact retry of a replacement", { history: live }, 2, { version: 3, deleted: false, sequence: 4 }),
  row("an exact retry of a creation", { history: ["put", "another item changes"] }, 0, {
    version: 1,
    deleted: false,
    sequence: 2,
  }),

  row("replaces no item", {}, 1, { reason: "ITEM_NOT_FOUND" }),
  ...others.map(([what, other]) =>
    row(
      `a retry that differs in: ${what}`,
      { history: live },
      2,
      { ...conflictWith(3, false, 4), comparesContent: true },
      other,
    ),
  ),
  row("creates an item that exists", { history: live }, 0, conflictWith(3, false, 4)),
  row("one version above", { history: live }, 4, conflictWith(3, false, 4)),
  row("a tombstone, at the version deleted", { history: tombstone }, 3, conflictWith(4, true, 5)),
  row("a tombstone, as a creation", { history: tombstone }, 0, conflictWith(4, true, 5)),
  row("a shredded item, at its version", { retentionDays: 0, history: tombstone }, 4, conflictWith(4, true, 5)),
];
