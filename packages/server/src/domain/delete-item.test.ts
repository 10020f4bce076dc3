import { describe, expect, it } from "vitest";
import { sealedItem, storedItem } from "../testing/stored-item.js";
import { alreadyDone, unchanged } from "./decision.js";
import { decideDeleteItem } from "./delete-item.js";
import type { Item } from "./item.js";
import type { ItemSnapshot } from "./vault.js";

const day = 24 * 60 * 60 * 1000;
const now = 1_700_000_000_000;

const actor = {
  tenantId: "t-1",
  principalId: "p-1",
  oauthClientId: "c-1",
  tokenId: "jti-1",
  operation: "platform.v1.VaultService/DeleteItem",
  requestId: "r-1",
};

const live: Item = {
  tenantId: "t-1",
  vaultId: "v-1",
  itemId: "i-1",
  version: 3,
  updatedAt: now - 1000,
  kind: "login",
  titleHash: "dGl0bGU",
  encryptedPayload: { alg: "A256GCM", nonce: "bm9uY2U", aad: "YWFk", ciphertext: "c2VjcmV0", version: 1 },
  wrappedKeys: [{ recipientId: "u-1", wrapAlg: "A256KW", wrappedKey: "a2V5" }],
  state: "live",
  shredAt: undefined,
  sequence: 7,
};
const tombstone: Item = { ...live, version: 4, state: "deleted", shredAt: now + 30 * day, sequence: 8 };
const skeleton: Item = {
  ...tombstone,
  state: "shredded",
  shredAt: undefined,
  titleHash: "",
  encryptedPayload: { ...live.encryptedPayload, nonce: "", aad: "", ciphertext: "" },
  wrappedKeys: [],
};

function snapshot({
  role = "owner",
  item = live,
  retentionDays = 30,
  stored = storedItem,
}: {
  role?: string | undefined;
  item?: Item | undefined;
  retentionDays?: number;
  stored?: typeof storedItem;
} = {}): ItemSnapshot {
  return {
    vault: { tenantId: "t-1", vaultId: "v-1", retentionDays, accessRevision: 2 },
    role,
    item: stored(item),
    floor: 0,
  };
}

const decide = (given: ItemSnapshot, baseVersion: number) => decideDeleteItem(given, baseVersion, actor, now);

describe("DeleteItem, DECISIONS section 3: rejections, in order of precedence, write nothing", () => {
  it.each([
    {
      name: "1: the vault is missing",
      given: { vault: undefined, role: undefined, item: undefined, floor: 0 },
      reason: "VAULT_NOT_FOUND",
    },
    { name: "1: the caller is not a member", given: { ...snapshot(), role: undefined }, reason: "VAULT_NOT_FOUND" },
    {
      name: "1: not a member, and the item is missing",
      given: { ...snapshot(), role: undefined, item: undefined },
      reason: "VAULT_NOT_FOUND",
    },
    { name: "2: a viewer", given: snapshot({ role: "viewer" }), reason: "ROLE_FORBIDS_DELETE" },
    { name: "2: an agent", given: snapshot({ role: "agent" }), reason: "ROLE_FORBIDS_DELETE" },
    { name: "2: an unknown role", given: snapshot({ role: "Owner" }), reason: "ROLE_FORBIDS_DELETE" },
    {
      name: "2: a viewer, and the item is missing",
      given: { ...snapshot({ role: "viewer" }), item: undefined },
      reason: "ROLE_FORBIDS_DELETE",
    },
    {
      name: "2: a viewer, and the item is a tombstone",
      given: snapshot({ role: "viewer", item: tombstone }),
      reason: "ROLE_FORBIDS_DELETE",
    },
    { name: "3: the item is missing", given: { ...snapshot(), item: undefined }, reason: "ITEM_NOT_FOUND" },
  ])("$name: $reason", ({ given, reason }) => {
    expect(decide(given, 3)).toEqual({ outcome: { ok: false, reason }, writes: [] });
  });

  it.each([
    { name: "not a member", given: { ...snapshot({ stored: sealedItem }), role: undefined }, base: 3 },
    { name: "a viewer", given: snapshot({ role: "viewer", stored: sealedItem }), base: 3 },
    { name: "a conflict", given: snapshot({ stored: sealedItem }), base: 2 },
    { name: "a conflict with a tombstone", given: snapshot({ item: tombstone, stored: sealedItem }), base: 2 },
  ])("does not load the content for a rejection: $name", ({ given, base }) => {
    expect(decide(given, base).outcome.ok).toBe(false);
  });

  it("1: the rejection is the same for a missing vault, a vault of another tenant (same snapshot), and a non-member", () => {
    const missing = decide({ vault: undefined, role: undefined, item: undefined, floor: 0 }, 3);
    expect(decide({ ...snapshot(), role: undefined }, 3)).toEqual(missing);
  });
});

describe("DeleteItem, DECISIONS section 3, rule 4: live and at the base version", () => {
  it.each(["owner", "admin", "member"])("a %s may delete", (role) => {
    expect(decide(snapshot({ role }), 3).outcome.ok).toBe(true);
  });

  it("writes a tombstone with version + 1, updatedAt now and the content kept for the retention, and an audit record", () => {
    const { sequence: _, ...rest } = live;
    const item = { ...rest, version: 4, updatedAt: now, state: "deleted", shredAt: now + 30 * day };
    const { kind: _kind, titleHash: _title, encryptedPayload: _payload, wrappedKeys: _keys, ...status } = item;
    expect(decide(snapshot(), 3)).toEqual({
      outcome: { ok: true, item },
      writes: [
        // Without content: the stored content is kept.
        { kind: "change", item: status },
        {
          kind: "audit",
          record: {
            ...actor,
            subjectTenantId: "t-1",
            subject: "item:v-1/i-1",
            event: "deleted",
            versionBefore: 3,
            versionAfter: 4,
            at: now,
          },
        },
      ],
    });
  });

  it.each([1, 90])("sets shredAt to %d days later, the retention of the vault", (retentionDays) => {
    expect(decide(snapshot({ retentionDays }), 3).outcome).toMatchObject({
      item: { shredAt: now + retentionDays * day },
    });
  });

  it("shreds at once when the retention is 0: in the outcome, in the change, and in the files", () => {
    const { sequence: _, ...rest } = skeleton;
    const item = { ...rest, updatedAt: now };
    const { outcome, writes } = decide(snapshot({ retentionDays: 0 }), 3);
    expect(outcome).toEqual({ ok: true, item });
    const status = { version: 4, updatedAt: now, state: "shredded", shredAt: undefined };
    expect(writes).toMatchObject([
      { kind: "change", item: status },
      { kind: "shred", item: status },
      { kind: "audit" },
    ]);
  });
});

describe("DeleteItem, DECISIONS section 3, rules 5 and 6: the item is not live at the base version", () => {
  it.each([
    { item: live, base: 2, answer: "VERSION_CONFLICT" },
    { item: live, base: 4, answer: "VERSION_CONFLICT" },
    { item: live, base: 1, answer: "VERSION_CONFLICT" },
    { item: tombstone, base: 3, answer: "the stored item" },
    { item: tombstone, base: 4, answer: "the stored item" },
    { item: tombstone, base: 2, answer: "VERSION_CONFLICT" },
    { item: tombstone, base: 5, answer: "VERSION_CONFLICT" },
    { item: skeleton, base: 3, answer: "the stored item" },
    { item: skeleton, base: 4, answer: "the stored item" },
    { item: skeleton, base: 2, answer: "VERSION_CONFLICT" },
  ])("$item.state at version $item.version, base version $base: $answer", ({ item, base, answer }) => {
    const conflict = {
      itemId: "i-1",
      baseVersion: base,
      currentVersion: item.version,
      deleted: item.state !== "live",
      vaultId: "v-1",
      sequence: item.sequence,
    };
    expect(decide(snapshot({ item }), base)).toEqual(
      answer === "VERSION_CONFLICT"
        ? unchanged({ ok: false, reason: "VERSION_CONFLICT", conflict })
        : alreadyDone({ ok: true, item }),
    );
  });
});
