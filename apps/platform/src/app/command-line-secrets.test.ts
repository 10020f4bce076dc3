import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { createPlatformTransport } from "@platform-rpc/client";
import { createVaultKey, createWriterKeys, sealVaultName, wrapVaultKey } from "@platform-rpc/client/crypto";
import { createDeviceSession, createMemorySessionStore } from "@platform-rpc/client/session";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { demoUser } from "../demo-data/demo-files.js";
import { demoTenant } from "../settings/settings.js";
import { newCommandLine } from "../testing/command-line.js";
import { startTestApp, type TestApp } from "../testing/start-test-app.js";

let app: TestApp;
let commandLine: Awaited<ReturnType<typeof newCommandLine>>;
beforeAll(async () => {
  app = await startTestApp({ DEMO: "on" });
  commandLine = await newCommandLine(app);
});
afterAll(async () => {
  await app.end();
  await commandLine.remove();
});

const secret = "correct horse battery";
const created = z.object({ itemId: z.string(), version: z.number() });

/** Creates the vault "Work" as the person does in the browser. Resolves with what a program gets that unlocks it. */
async function createUnlockedVault() {
  const session = createDeviceSession({
    issuer: app.accountsUrl ?? "",
    resource: app.publicUrl,
    clientId: "platform-cli",
    store: createMemorySessionStore(),
    scopes: ["vault.items:read", "vaults:manage"],
  });
  await session.logIn({ onPrompt: ({ userCode }) => commandLine.approve(userCode) });
  const member = createClient(
    MemberVaultService,
    createPlatformTransport({ baseUrl: app.accountsUrl, token: session.token }),
  );
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
    issuer: app.accountsUrl,
    tenantId: demoTenant,
    accountId: demoUser,
    unlockId: "unlock-1",
    expiresAt: new Date(Date.now() + 600_000).toISOString(),
    wrappingKey: Buffer.from(bytes).toString("base64url"),
    vaults: [{ ...at, wrappedKey: await wrapFor("unlock-1") }],
    writers: [{ writerId: "program:1", publicKey: x }],
    writerId: "program:1",
    signingKey: { kty: "OKP", crv: "Ed25519", d, x },
  };
}

// The tests follow each other: the first one signs in.
describe("the program platform, with an unlocked vault", () => {
  it("names the vault, and uses it by its name", async () => {
    const scopes = ["vault.items:read", "vault.items:write", "vault.items:delete"];
    const login = commandLine.startProgram(["login", "--device", "--url", app.publicUrl, "--scope", ...scopes]);
    await commandLine.approve(await login.printed(/enter the code ([A-Z]{4}-[A-Z]{4})/));
    expect(await login.ended).toMatchObject({ code: 0 });
    const unlocked = JSON.stringify(await createUnlockedVault());
    await writeFile(join(commandLine.home, ".config/platform/unlocked.json"), unlocked, { mode: 0o600 });
    expect(await commandLine.run("vaults", "use", "Work")).toMatchObject({ code: 0 });
    expect((await commandLine.run("vaults", "list")).out).toMatch(/\* +Work +\S+ +owner +key\n/);
  });

  it("creates an item with a password that is typed and not shown", async () => {
    const create = commandLine.startInTerminal([
      ...["items", "create", "--title", "Example mail", "username=ada", "password=?", "--json"],
    ]);
    await create.printed(/(password: )/);
    create.child.stdin?.write(`${secret}\r`);
    const { code, out } = await create.ended;
    expect(code).toBe(0);
    expect(out).not.toContain(secret);
    expect(created.parse(JSON.parse(/\{.*\}/.exec(out)?.[0] ?? ""))).toMatchObject({ version: 1 });
  });

  it("lists it, and shows its password only when it is asked to", async () => {
    expect((await commandLine.run("items", "list")).out).toMatch(/^Example mail +ada +login +20/m);
    const { out, err } = await commandLine.run("items", "get", "Example mail");
    expect([out, err]).toEqual([expect.stringMatching(/Password +•+\n/), ""]);
    const get = ["items", "get", "Example mail", "--field", "password"];
    expect(await commandLine.run(...get)).toEqual({ code: 0, out: `${secret}\n`, err: "" });
  });

  it("copies it with the terminal over SSH, in bytes that the terminal does not show", async () => {
    const words = ["items", "copy", "Example mail"];
    const { code, out } = await commandLine.startInTerminal(words, { SSH_CONNECTION: "1" }).ended;
    expect(code).toBe(0);
    expect(out).toContain(`\u001b]52;c;${Buffer.from(secret).toString("base64")}\u0007`);
    expect(out).toContain('Copied the password of "Example mail".');
  });

  it("gives it to a command, and masks it in what the command prints", async () => {
    const words = [
      "run",
      "--",
      "sh",
      "-c",
      'printf %s "$DB"; sleep 0.1; printf "%s\n" "$DB" >&2; test -n "$DB" && exit 3',
    ];
    const DB = "pvault://Work/Example%20mail/password";
    const { PATH } = process.env;
    const result = await commandLine.startProgram(words, { DB, PATH }).ended;
    expect(result).toEqual({ code: 3, out: "<masked pvault>", err: "<masked pvault>\n" });
    const shown = await commandLine.startProgram(["run", "--no-masking", ...words.slice(1)], { DB, PATH }).ended;
    expect(shown).toEqual({ code: 3, out: secret, err: `${secret}\n` });
  });

  it("forwards a signal to the command, and ends as it does", async () => {
    const script = 'trap "echo ended; exit 9" TERM; echo started; while :; do sleep 0.05; done';
    const words = ["run", "--", "sh", "-c", script];
    const { PATH } = process.env;
    const running = commandLine.startProgram(words, { DB: "pvault://Work/Example mail/password", PATH });
    await running.printed(/(started)/);
    running.child.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ code: 9, out: "started\nended\n" });
  });

  it("changes it, unless somebody has changed it since the version that the person saw", async () => {
    const edit = ["items", "edit", "Example mail", "username=bob"];
    expect(await commandLine.run(...edit)).toMatchObject({ code: 0, out: 'Changed "Example mail", version 2.\n' });
    expect(await commandLine.run(...edit, "--version", "1")).toMatchObject({
      code: 4,
      err: expect.stringContaining("The current version is 2."),
    });
    expect((await commandLine.run("items", "get", "Example mail", "--field", "username")).out).toBe("bob\n");
  });

  it("completes its title, and deletes it by its title", async () => {
    expect(await commandLine.run("complete", "items")).toEqual({ code: 0, out: "Example mail\n", err: "" });
    expect(await commandLine.run("items", "delete", "Example mail")).toMatchObject({ code: 0 });
    expect((await commandLine.run("items", "list", "--deleted")).out).toContain("Example mail");
  });
});
