import { describe, expect, it } from "vitest";
import { deleteItem } from "../../domain/delete-item.js";
import { noEarlier } from "../../domain/model/item.js";
import { moveItem } from "../../domain/move-item.js";
import {
  actor,
  contentOf,
  createFixture,
  itemRef,
  principalId,
  tenantId,
} from "../../testing/storage-suite/fixture.js";
import { openDatabase } from "./database/open-database.js";
import { createStorageOnDatabase } from "./storage-on-database.js";

/** Opens a vault with an item whose content cannot be parsed, so that reading it fails. */
async function openUnreadable() {
  const database = openDatabase(":memory:");
  const storage = createStorageOnDatabase(database);
  const { createVault, put, write } = createFixture(storage);
  await createVault();
  await put(itemRef("item-1"), "a", 0);
  database.exec("UPDATE contents SET content = 'no JSON'");
  const remove = async (who: string, baseVersion = 1) =>
    (
      await storage.transact(
        { kind: "item", ...itemRef("item-1"), principalId: who },
        deleteItem(baseVersion, actor, 0),
      )
    ).outcome;
  const move = async (vaultId: string) => {
    const to = itemRef("item-1", vaultId);
    const ref = { kind: "item", ...itemRef("item-1"), principalId, to: { ...to, principalId } } as const;
    const rule = moveItem({ ref: to, content: contentOf("b"), earlier: noEarlier }, 1, actor, 0);
    return (await storage.transact(ref, rule)).outcome;
  };
  return { remove, move, write, createVault };
}

describe("DECISIONS section 3: content is loaded only for an outcome that contains it", () => {
  it("is not loaded for a rejection: not a member, a viewer, a conflict", async () => {
    const { remove, write } = await openUnreadable();
    await write({ kind: "member", tenantId, vaultId: "vault-1", principalId: "viewer-1", role: "viewer" });
    expect(await remove("stranger")).toMatchObject({ reason: "VAULT_NOT_FOUND" });
    expect(await remove("viewer-1")).toMatchObject({ reason: "ROLE_FORBIDS_DELETE" });
    expect(await remove(principalId, 7)).toMatchObject({ reason: "VERSION_CONFLICT" });
    await expect(remove(principalId)).rejects.toThrow();
  });

  it("is not loaded for a move to a vault of others, or to none", async () => {
    const { move, write, createVault } = await openUnreadable();
    await createVault("vault-2");
    await write({ kind: "member", tenantId, vaultId: "vault-2", principalId, role: undefined });
    for (const vaultId of ["vault-2", "vault-9"]) {
      expect(await move(vaultId)).toMatchObject({ ok: false, reason: "VAULT_NOT_FOUND" });
    }
  });
});
