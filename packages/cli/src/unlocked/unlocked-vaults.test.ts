import { create } from "@bufbuild/protobuf";
import { createVaultKey, createWriterKeys, sealVaultName, wrapVaultKey } from "@platform-rpc/client/crypto";
import type { ItemContent } from "@platform-rpc/items/item-content";
import { ItemSchema } from "@platform-rpc/types";
import { expect, it } from "vitest";
import type { Terminal } from "../terminal/terminal.js";
import { signedIn } from "../testing/run-program.js";
import { readUnlockedFile, type UnlockedFile, writeUnlocked } from "./unlocked-file.js";
import { readUnlocked, unlockedVaultsOf } from "./unlocked-vaults.js";

const content: ItemContent = { title: "Mail", fields: [{ name: "password", type: "secret", value: "correct horse" }] };
const vaultKey = await createVaultKey();

async function unlockedFile(expiresAt = new Date(Date.now() + 60_000)): Promise<UnlockedFile> {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const wrappingKey = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt"]);
  const keys = await createWriterKeys({ extractable: true });
  const { d = "", x = "" } = await crypto.subtle.exportKey("jwk", keys.privateKey);
  const at = { vaultId: "v-1", keyId: "key-1", epoch: 1 };
  return {
    issuer: "https://accounts.example",
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

it("an item that the program seals is opened and verified; one of another writer is opened and marked", async () => {
  const file = await unlockedFile();
  const vaults = await unlockedVaultsOf(file);
  const sealed = await vaults.seal({ vaultId: "v-1", itemId: "i-1", baseVersion: 0, kind: "login", content });
  expect(JSON.stringify(sealed)).not.toContain("horse");
  const item = create(ItemSchema, { ...sealed, version: 1 });
  expect(await vaults.open(item)).toEqual({ content, isVerified: true });
  const stranger = await unlockedVaultsOf({ ...file, writers: [] });
  expect(await stranger.open(item)).toEqual({ content, isVerified: false });
  await expect(vaults.open({ ...item, itemId: "i-2" })).rejects.toThrow("cannot be decrypted");
  await expect(vaults.open(item, "v-2")).rejects.toThrow("The vault v-2 is not unlocked here");
});

it("a vault has the name that its key opens", async () => {
  const vaults = await unlockedVaultsOf(await unlockedFile());
  const place = { vaultKey, tenantId: "acme", vaultId: "v-1", epoch: 1 };
  const key = { $typeName: "platform.accounts.v1.VaultKey", keyId: "key-1", epoch: 1, wrappedKey: "w" } as const;
  const encryptedName = await sealVaultName("Family", place);
  expect(await vaults.nameOf({ vaultId: "v-1", encryptedName, key })).toBe("Family");
  expect(await vaults.nameOf({ vaultId: "v-1", encryptedName: "AAAA", key })).toBe("Vault without a readable name");
  expect(await vaults.nameOf({ vaultId: "ada", encryptedName: "", key })).toBe("Personal");
});

const token = (sub: string) =>
  `e30.${Buffer.from(JSON.stringify({ sub, tenant_id: "acme", client_id: "c", scope: "s", exp: 1 })).toString("base64url")}.`;

function terminalAt(folder: string): Terminal {
  return {
    out: () => expect.unreachable(),
    err: () => expect.unreachable(),
    outBytes: () => expect.unreachable(),
    interactive: false,
    isOutTerminal: false,
    readInput: async () => expect.unreachable(),
    readHidden: undefined,
    main: "/nowhere/main.js",
    environment: { PLATFORM_CONFIG_DIR: folder },
    signal: new AbortController().signal,
    sleep: async () => expect.unreachable(),
  };
}

it("keys are read by the person who has unlocked them, and removed when the time is over", async () => {
  const issuer = "https://accounts.example";
  const terminal = terminalAt(await signedIn(issuer, { accessToken: token("ada") }));
  expect(await readUnlocked(terminal)).toBeUndefined();
  const file = await unlockedFile();
  await writeUnlocked(terminal, file);
  expect(await readUnlockedFile(terminal)).toEqual(file);
  await writeUnlocked(terminal, await unlockedFile(new Date(Date.now() - 1)));
  expect(await readUnlocked(terminal)).toBeUndefined();

  const other = terminalAt(await signedIn(issuer, { accessToken: token("bob") }));
  await writeUnlocked(other, file);
  expect(await readUnlocked(other)).toBeUndefined();
});
