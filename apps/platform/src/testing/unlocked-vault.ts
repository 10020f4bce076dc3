import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Client, createClient } from "@connectrpc/connect";
import { createPlatformTransport } from "@platform-rpc/client";
import { createVaultKey, createWriterKeys, sealVaultName, wrapVaultKey } from "@platform-rpc/client/crypto";
import { createDeviceSession } from "@platform-rpc/client/session";
import { createFileSessionStore } from "@platform-rpc/client/session-file";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { demoUser } from "../demo-data/demo-files.js";

const tenantId = "demo";

interface UnlockedApp {
  readonly publicUrl: string;
  readonly accountsUrl: string;
}

interface Login {
  readonly scopes: readonly string[];
  /** Approves the login, as the demo's user. */
  readonly approve: (userCode: string) => Promise<unknown>;
}

/** Signs the demo's user in, in the folder of the program `platform`, and unlocks a new vault "Work" there, for `forMs`. */
export async function unlockVault(
  app: UnlockedApp,
  folder: string,
  { forMs = 600_000, ...login }: Login & { forMs?: number },
) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const session = await signIn(app, join(folder, "session.json"), login);
  const settings = { apiUrl: app.publicUrl, issuer: app.accountsUrl };
  await writeFile(join(folder, "settings.json"), JSON.stringify(settings), { mode: 0o600 });
  const transport = createPlatformTransport({ baseUrl: app.accountsUrl, token: session.token });
  const member = createClient(MemberVaultService, transport);
  const unlocked = await createUnlockedVault(app, member, forMs);
  await writeFile(join(folder, "unlocked.json"), JSON.stringify(unlocked), { mode: 0o600 });
  return { member, vaultId: unlocked.vaults[0].vaultId };
}

/** Signs the demo's user in, in the file of the program. */
async function signIn(app: UnlockedApp, path: string, { scopes, approve }: Login) {
  const approved = Promise.withResolvers<void>();
  const session = createDeviceSession({
    issuer: app.accountsUrl,
    resource: app.publicUrl,
    clientId: "platform-cli",
    store: createFileSessionStore(path),
    scopes,
    // The poll waits for the approval, and no time.
    clock: { now: Date.now, sleep: () => approved.promise, after: () => () => {} },
  });
  await session.logIn({ onPrompt: ({ userCode }) => void approve(userCode).then(() => approved.resolve()) });
  return session;
}

/** Creates the vault "Work" as the person does in the browser. Resolves with what a program gets that unlocks it. */
async function createUnlockedVault(app: UnlockedApp, member: Client<typeof MemberVaultService>, forMs: number) {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const wrappingKey = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt"]);
  const vaultKey = await createVaultKey();
  const at = { vaultId: randomUUID(), keyId: randomUUID(), epoch: 1 };
  const wrapFor = (accountId: string) => wrapVaultKey(vaultKey, { ...at, accountId, wrappingKey });
  await member.createVault({
    vaultId: at.vaultId,
    key: { keyId: at.keyId, wrappedKey: await wrapFor(demoUser) },
    encryptedName: await sealVaultName("Work", { vaultKey, tenantId, ...at }),
  });
  const { privateKey } = await createWriterKeys({ extractable: true });
  const { d = "", x = "" } = await crypto.subtle.exportKey("jwk", privateKey);
  return {
    issuer: app.accountsUrl,
    tenantId,
    accountId: demoUser,
    unlockId: "unlock-1",
    expiresAt: new Date(Date.now() + forMs).toISOString(),
    wrappingKey: Buffer.from(bytes).toString("base64url"),
    vaults: [{ ...at, wrappedKey: await wrapFor("unlock-1") }] as const,
    writers: [{ writerId: "program:1", publicKey: x }],
    writerId: "program:1",
    signingKey: { kty: "OKP", crv: "Ed25519", d, x },
  };
}
