import { webcrypto } from "node:crypto";
import { createPlatformClient, isPlatformError } from "@platform-rpc/client";
import type { AdminClients } from "../admin-clients.js";
import type { Scene } from "./approve-device.js";
import { mustHold, type Narrator } from "./narrator.js";

/** An item is put, deleted, deleted again by a retry, and found in the vault's history. */
export async function deleteOnce(parts: {
  readonly admin: AdminClients;
  readonly publicUrl: string;
  /** What the agent got from the exchange. */
  readonly token: string;
  readonly scene: Scene;
  readonly narrator: Narrator;
}): Promise<void> {
  const { admin, publicUrl, token, narrator, scene } = parts;
  const { tenantId, userId } = scene;
  const { chapter, happened } = narrator;

  chapter("The user keeps something (private operations)");
  const { vaultId } = await admin.vaults.createVault({ tenantId });
  await admin.vaults.setVaultMember({ tenantId, vaultId, principalId: userId, role: "owner" });
  happened("There is a vault, and the user owns it.");
  const content = await encryptNote();
  const put = await admin.vaults.putItem({ tenantId, vaultId, kind: "secure_note", ...content });
  const { item, cursor } = put;
  mustHold(item?.version === 1 && cursor?.sequence === 1, "a new item is version 1, at sequence 1 of its vault");
  happened("An item, encrypted before it left the user's software, is version 1 at sequence 1.");

  chapter("The agent deletes it with the token that it was given (public operation)");
  const bodies: string[] = [];
  const keepBodies: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    bodies.push(await response.clone().text());
    return response;
  };
  const { vault } = createPlatformClient({ baseUrl: publicUrl, token, fetch: keepBodies });
  const target = { vaultId, itemId: item.itemId };
  const deleted = await vault.deleteItem({ ...target, baseVersion: 1 });
  mustHold(deleted.item.deleted && deleted.item.version === 2, "deleting leaves a tombstone, one version on");
  happened(`Deleted: version ${deleted.item.version}, at sequence ${deleted.cursor.sequence} of the vault.`);
  await vault.deleteItem({ ...target, baseVersion: 1 });
  mustHold(bodies.length === 2 && bodies[0] === bodies[1], "a retry is answered with the same bytes");
  happened("The same call again, as after a lost answer: the same bytes, and nothing is written.");
  const conflict = await vault.deleteItem({ ...target, baseVersion: 7 }).catch((error: unknown) => error);
  mustHold(isPlatformError(conflict, "VERSION_CONFLICT"), "a call on a wrong version is refused");
  const { baseVersion, currentVersion } = conflict.detail;
  happened(`A call on version ${baseVersion}: VERSION_CONFLICT, the item is at version ${currentVersion}.`);

  const page = await admin.vaults.listChanges({ tenantId, vaultId, afterSequence: 0, limit: 100 });
  const [change, ...others] = page.changes;
  mustHold(change?.sequence === 2 && others.length === 0, "changes tell each item once, at its newest sequence");
  mustHold(change.item?.deleted === true && !page.hasMore, "the tombstone is what they tell");
  happened("Another device pulls changes: one, the tombstone, at sequence 2.");
}

/** What a user's software sends: ciphertext. The key stays with it, so that nobody can read this note any more. */
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
