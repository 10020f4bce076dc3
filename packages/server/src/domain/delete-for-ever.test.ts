import { describe, expect, it } from "vitest";
import { caseCaller as actor } from "../testing/cases/storage-driver.js";
import { type DeleteForEverOutcome, deleteForEver } from "./delete-for-ever.js";
import type { ItemSnapshot } from "./model/vault.js";

const day = 24 * 60 * 60 * 1000;
const vault = { tenantId: "t-1", vaultId: "v-1", retentionDays: 30, accessRevision: 1 };
const status = { tenantId: "t-1", vaultId: "v-1", itemId: "i-1", version: 2, updatedAt: 5 };
const content = () => expect.unreachable("the content is not needed");
const tombstone = { ...status, state: "deleted", shredAt: 30 * day, sequence: 4, content, earlier: content } as const;
const live = { ...tombstone, state: "live", shredAt: undefined } as const;
const shredded = { ...tombstone, state: "shredded", shredAt: undefined } as const;

/** Decides for version 2, a day after the deletion. */
function decide(given: Partial<ItemSnapshot>, now = day) {
  const snapshot = { vault: undefined, role: undefined, item: undefined, floor: 0, ...given };
  return deleteForEver(2, actor, now)(snapshot);
}

const conflict = (currentVersion: number, deleted: boolean) =>
  ({
    ok: false,
    reason: "VERSION_CONFLICT",
    conflict: { vaultId: "v-1", itemId: "i-1", baseVersion: 2, currentVersion, deleted, sequence: 4 },
  }) as const;

describe("DECISIONS section 3: content is shredded before its retention ends only when an owner or admin asks for it", () => {
  it.each<[title: string, given: Partial<ItemSnapshot>, outcome: DeleteForEverOutcome]>([
    ["no vault", {}, { ok: false, reason: "VAULT_NOT_FOUND" }],
    ["somebody who is not a member", { vault, item: tombstone }, { ok: false, reason: "VAULT_NOT_FOUND" }],
    ["a member", { vault, role: "member", item: tombstone }, { ok: false, reason: "ROLE_FORBIDS_CHANGE" }],
    ["a viewer", { vault, role: "viewer", item: tombstone }, { ok: false, reason: "ROLE_FORBIDS_CHANGE" }],
    ["an unknown role", { vault, role: "guest", item: tombstone }, { ok: false, reason: "ROLE_FORBIDS_CHANGE" }],
    ["no item", { vault, role: "owner" }, { ok: false, reason: "ITEM_NOT_FOUND" }],
    ["a live item", { vault, role: "owner", item: live }, conflict(2, false)],
    ["a restored item", { vault, role: "owner", item: { ...live, version: 3 } }, conflict(3, false)],
    ["an item deleted again", { vault, role: "owner", item: { ...tombstone, version: 4 } }, conflict(4, true)],
    [
      "a shredded one at another version",
      { vault, role: "owner", item: { ...shredded, version: 4 } },
      conflict(4, true),
    ],
    ["a retry", { vault, role: "owner", item: shredded }, { ok: true }],
  ])("%s: nothing is written", (_title, given, outcome) => {
    expect(decide(given)).toMatchObject({ outcome, writes: [] });
  });

  it.each([
    ["owner", day],
    ["admin", day],
    ["owner, after the retention, before the job has run", 31 * day],
  ])("for an %s, erases the content and is audited: version, time and sequence stay", (title, now) => {
    const [role = ""] = title.split(",");
    expect(decide({ vault, role, item: tombstone }, now)).toEqual({
      outcome: { ok: true },
      writes: [
        { kind: "shred", item: { ...status, state: "shredded", shredAt: undefined } },
        {
          kind: "audit",
          record: {
            ...actor,
            ...{ subjectTenantId: "t-1", subject: "item:v-1/i-1", event: "deleted for ever", at: now },
            ...{ versionBefore: 2, versionAfter: 2 },
          },
        },
      ],
    });
  });
});
