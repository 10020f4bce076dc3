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
import { demoTenant } from "../settings/settings.js";
import { newCommandLine } from "./command-line.js";
import type { TestApp } from "./start-test-app.js";

type CalledApp = Pick<TestApp, "publicUrl" | "internalUrl" | "accountsUrl" | "adminToken">;

export type UnlockedCommandLine = Awaited<ReturnType<typeof newUnlockedCommandLine>>;

/** Creates the program `platform` of the demo's user, who is signed in and has unlocked a new vault, "Work". */
export async function newUnlockedCommandLine(app: CalledApp, scopes: readonly string[]) {
  const commandLine = await newCommandLine(app);
  const files = join(commandLine.home, ".config/platform");
  await mkdir(files, { recursive: true, mode: 0o700 });
  const session = await signIn(app, join(files, "session.json"), { scopes, approve: commandLine.approve });
  const settings = { apiUrl: app.publicUrl, issuer: app.accountsUrl };
  await writeFile(join(files, "settings.json"), JSON.stringify(settings), { mode: 0o600 });
  const transport = createPlatformTransport({ baseUrl: app.accountsUrl, token: session.token });
  const member = createClient(MemberVaultService, transport);
  const unlocked = await createUnlockedVault(app, member);
  await writeFile(join(files, "unlocked.json"), JSON.stringify(unlocked), { mode: 0o600 });
  return { commandLine, member, files, workId: unlocked.vaults[0].vaultId };
}

/** Signs the demo's user in, in the file of the program. */
async function signIn(
  app: CalledApp,
  path: string,
  { scopes, approve }: { scopes: readonly string[]; approve: (userCode: string) => Promise<void> },
) {
  const approved = Promise.withResolvers<void>();
  const session = createDeviceSession({
    issuer: app.accountsUrl ?? "",
    resource: app.publicUrl,
    clientId: "platform-cli",
    store: createFileSessionStore(path),
    scopes,
    // The poll waits for the approval, and no time.
    clock: { now: Date.now, sleep: () => approved.promise, after: () => () => {} },
  });
  await session.logIn({ onPrompt: ({ userCode }) => void approve(userCode).then(approved.resolve) });
  return session;
}

/** Creates the vault "Work" as the person does in the browser. Resolves with what a program gets that unlocks it. */
async function createUnlockedVault({ accountsUrl }: CalledApp, member: Client<typeof MemberVaultService>) {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const wrappingKey = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt"]);
  const vaultKey = await createVaultKey();
  const at = { vaultId: randomUUID(), keyId: randomUUID(), epoch: 1 };
  const wrapFor = (accountId: string) => wrapVaultKey(vaultKey, { ...at, accountId, wrappingKey });
  await member.createVault({
    vaultId: at.vaultId,
    key: { keyId: at.keyId, wrappedKey: await wrapFor(demoUser) },
    encryptedName: await sealVaultName("Work", { vaultKey, tenantId: demoTenant, ...at }),
  });
  const { privateKey } = await createWriterKeys({ extractable: true });
  const { d = "", x = "" } = await crypto.subtle.exportKey("jwk", privateKey);
  return {
    issuer: accountsUrl,
    tenantId: demoTenant,
    accountId: demoUser,
    unlockId: "unlock-1",
    expiresAt: new Date(Date.now() + 600_000).toISOString(),
    wrappingKey: Buffer.from(bytes).toString("base64url"),
    vaults: [{ ...at, wrappedKey: await wrapFor("unlock-1") }] as const,
    writers: [{ writerId: "program:1", publicKey: x }],
    writerId: "program:1",
    signingKey: { kty: "OKP", crv: "Ed25519", d, x },
  };
}
