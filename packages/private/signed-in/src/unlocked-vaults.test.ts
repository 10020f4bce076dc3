import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { createVaultKey, createWriterKeys, wrapVaultKey } from "@platform-rpc/client/crypto";
import type { ItemContent } from "@platform-rpc/items/item-content";
import type { Revision } from "@platform-rpc/items/vault/memory";
import { ItemSchema } from "@platform-rpc/types";
import { expect, it, onTestFinished } from "vitest";
import { MemoryError } from "./errors.js";
import { readUnlockedFile, type UnlockedFile, writeUnlocked } from "./unlocked-file.js";
import { readUnlocked, unlockedVaultsOf } from "./unlocked-vaults.js";

const issuer = "https://accounts.example";
const content: ItemContent = { title: "Mail", fields: [{ name: "password", type: "secret", value: "correct horse" }] };
const vaultKey = await createVaultKey();

async function unlockedFile(expiresAt = new Date(Date.now() + 60_000)): Promise<UnlockedFile> {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const wrappingKey = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt"]);
  const keys = await createWriterKeys({ extractable: true });
  const { d = "", x = "" } = await crypto.subtle.exportKey("jwk", keys.privateKey);
  const at = { vaultId: "v-1", keyId: "key-1", epoch: 1 };
  return {
    issuer,
    tenantId: "acme",
    accountId: "ada",
    unlockId: "unlock-1",
    expiresAt: expiresAt.toISOString(),
    wrappingKey: Buffer.from(bytes).toString("base64url"),
    vaults: [{ ...at, wrappedKey: await wrapVaultKey(vaultKey, { ...at, accountId: "unlock-1", wrappingKey }) }],
    writers: [{ writerId: "program:1", publicKey: x }],
    writerId: "program:1",
    signingKey: { kty: "OKP", crv: "Ed25519", d, x },
  };
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "unlocked-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

it("an item that the program seals is opened and verified. What cannot be opened is explained", async () => {
  const vaults = await unlockedVaultsOf(await unlockedFile(), await newFolder());
  const sealed = await vaults.seal({ vaultId: "v-1", itemId: "i-1", baseVersion: 0, kind: "login", content });
  expect(JSON.stringify(sealed)).not.toContain("horse");
  const item = create(ItemSchema, { ...sealed, version: 1 });
  expect(await vaults.open(item)).toMatchObject({ content, isVerified: true, finding: undefined });
  const { encryptedPayload: _, ...shredded } = item;
  await expect(vaults.open(shredded)).rejects.toThrow("was deleted for ever");
  await expect(vaults.open({ ...item, wrappedKeys: [] })).rejects.toThrow("older than the key of its vault");
  await expect(vaults.open({ ...item, itemId: "i-2" })).rejects.toThrow("cannot be decrypted");
  await expect(vaults.open(item, "v-2")).rejects.toThrow("The vault v-2 is not unlocked here");
});

it("what this program writes over a content that is older than what was seen is accepted", async () => {
  const [file, folder] = [await unlockedFile(), await newFolder()];
  const vaults = await unlockedVaultsOf(file, folder);
  const written = { vaultId: "v-1", itemId: "i-1", kind: "login", content };
  const itemAt = async (baseVersion: number, replaces?: Revision) =>
    create(ItemSchema, { ...(await vaults.seal({ ...written, baseVersion, replaces })), version: baseVersion + 1 });
  const first = await itemAt(0);
  const { revision } = await vaults.open(first);
  await vaults.open(await itemAt(1, revision));
  // A backup was restored, and the item has the first content at a version above all others.
  expect(await vaults.open({ ...first, version: 10 })).toMatchObject({ finding: { what: "older" } });
  const saved = await itemAt(10, revision);
  const other = await unlockedVaultsOf(file, folder);
  expect(await other.open(saved)).toMatchObject({ finding: { what: "forked" } });
  await vaults.remember(saved, "v-1");
  expect(await vaults.open(saved)).toMatchObject({ finding: undefined });
  expect(await (await unlockedVaultsOf(file, folder)).open(saved)).toMatchObject({ finding: undefined });
});

it("a memory that cannot be used is an error of its own, and not one of the item", async () => {
  const folder = await newFolder();
  const vaults = await unlockedVaultsOf(await unlockedFile(), folder);
  await writeFile(join(folder, "seen-items"), "");
  const sealed = await vaults.seal({ vaultId: "v-1", itemId: "i-1", baseVersion: 0, kind: "login", content });
  const opening = vaults.open(create(ItemSchema, { ...sealed, version: 1 }));
  await expect(opening).rejects.toThrow(MemoryError);
  await expect(opening).rejects.toThrow("seen-items");
});

const sessionOf = (sub: string) => {
  const claims = JSON.stringify({ sub, tenant_id: "acme", client_id: "c", scope: "s", exp: 1 });
  return { issuer, accessToken: `e30.${Buffer.from(claims).toString("base64url")}.` };
};

it("keys are read by the person who has unlocked them, and removed when the time is over", async () => {
  const folder = await newFolder();
  const ada = sessionOf("ada");
  expect(await readUnlocked(folder, ada)).toBeUndefined();
  const file = await unlockedFile();
  await writeUnlocked(folder, file);
  for (const other of [undefined, sessionOf("bob"), { ...ada, issuer: "https://other.example" }]) {
    expect(await readUnlocked(folder, other)).toBeUndefined();
  }
  expect(await readUnlockedFile(folder, ada)).toEqual(file);
  await writeUnlocked(folder, await unlockedFile(new Date(Date.now() - 1)));
  expect(await readUnlocked(folder, ada)).toBeUndefined();
});
