import { webcrypto } from "node:crypto";
import { createPlatformClient, isPlatformError } from "@platform-rpc/client";
import type { AdminClients } from "../rpc/admin-clients.js";
import type { Fixture } from "./approve-device.js";
import { expectThat, type Reporter } from "./reporter.js";

/** Puts an item, deletes it, retries the deletion, and lists the tombstone in the vault's changes. */
export async function deleteOnce(parts: {
  readonly admin: AdminClients;
  readonly publicUrl: string;
  readonly token: string;
  readonly fixture: Fixture;
  readonly reporter: Reporter;
}): Promise<void> {
  const { admin, publicUrl, token, reporter, fixture } = parts;
  const { tenantId, userId } = fixture;
  const { group, passed } = reporter;

  group("The user stores an item (private operations)");
  const { vaultId } = await admin.vaults.createVault({ tenantId });
  await admin.vaults.setVaultMember({ tenantId, vaultId, principalId: userId, role: "owner" });
  passed("A vault is created, and the user is its owner.");
  const content = await encryptNote();
  const put = await admin.vaults.putItem({ tenantId, vaultId, kind: "secure_note", ...content });
  const { item, cursor } = put;
  expectThat(item?.version === 1 && cursor?.sequence === 1, "a new item is version 1, at sequence 1 of its vault");
  passed("An item, encrypted by the user's software, is stored as version 1 at sequence 1.");

  group("The agent deletes the item with its token (public operation)");
  const bodies: string[] = [];
  const keepBodies: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    bodies.push(await response.clone().text());
    return response;
  };
  const { vault } = createPlatformClient({ baseUrl: publicUrl, token, fetch: keepBodies });
  const target = { vaultId, itemId: item.itemId };
  const deleted = await vault.deleteItem({ ...target, baseVersion: 1 });
  expectThat(deleted.item.deleted && deleted.item.version === 2, "deleting leaves a tombstone with the next version");
  passed(`Deleted: version ${deleted.item.version}, at sequence ${deleted.cursor.sequence} of the vault.`);
  await vault.deleteItem({ ...target, baseVersion: 1 });
  expectThat(bodies.length === 2 && bodies[0] === bodies[1], "a retry returns the same bytes");
  passed("A retry, as after a lost response, returns the same bytes and writes nothing.");
  const conflict = await vault.deleteItem({ ...target, baseVersion: 7 }).catch((error: unknown) => error);
  expectThat(isPlatformError(conflict, "VERSION_CONFLICT"), "a call with a wrong version is rejected");
  const { baseVersion, currentVersion } = conflict.detail;
  passed(`A call with version ${baseVersion}: VERSION_CONFLICT, the item is at version ${currentVersion}.`);

  const page = await admin.vaults.listChanges({ tenantId, vaultId, afterSequence: 0, limit: 100 });
  const [change, ...others] = page.changes;
  expectThat(change?.sequence === 2 && others.length === 0, "the changes list each item once, at its newest sequence");
  expectThat(change.item?.deleted === true && !page.hasMore, "the changes list the tombstone");
  passed("Another device lists the changes: the tombstone, at sequence 2.");
}

/** Returns what a user's software sends: ciphertext. The key is discarded, so nobody can read this note. */
async function encryptNote() {
  const { subtle } = webcrypto;
  const key = await subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt"]);
  const nonce = webcrypto.getRandomValues(new Uint8Array(12));
  const note = Buffer.from("The key is under the third flower pot.");
  const ciphertext = await subtle.encrypt({ name: "AES-GCM", iv: nonce }, key, note);
  const titleHash = webcrypto.getRandomValues(new Uint8Array(32));
  return {
    titleHash: Buffer.from(titleHash).toString("base64url"),
    encryptedPayload: {
      alg: "A256GCM",
      nonce: Buffer.from(nonce).toString("base64url"),
      ciphertext: Buffer.from(ciphertext).toString("base64url"),
      version: 1,
    },
  };
}
