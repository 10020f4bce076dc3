import { open, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  fillRecoveryCode,
  shownRecoveryCode,
  signInWithCode,
  signInWithPasskey,
  signOut,
  signUp,
  storeRecoveryCode,
  titleHashIn,
  waitForTitle,
} from "@platform-rpc/accounts/testing/browser-steps";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import { describe, expect } from "vitest";
import { runApp } from "../../src/testing/program.js";
import { temporaryFolder } from "../../src/testing/temporary-folder.js";
import { addField, beginItem, createVault, fill, save } from "./testing/console-steps.js";
import { it } from "./testing/in-browser.js";
import { recordSecrets, secretsOf, secretsOfCode } from "./testing/secrets-of-page.js";

describe("accounts in Chromium", () => {
  it.for(["at creation", "at sign-in"] as const)(
    "sign-in by passkey with PRF %s and by recovery code unlock the keys of sign-up, and sign-out removes them",
    async (prf, { demo: { origin }, page, person }) => {
      await person.useDevice(prf);
      const code = await signUp(page, origin);
      const keys = await titleHashIn(page);
      expect(keys).toMatch(/^\d+(?:,\d+){31}$/);
      await signOut(page);
      expect(await titleHashIn(page)).toBeUndefined();
      await signInWithPasskey(page);
      expect(await titleHashIn(page)).toBe(keys);
      await signOut(page);
      await signInWithCode(page, code);
      expect(await titleHashIn(page)).toBe(keys);
    },
  );

  it("a passkey without the PRF extension signs in, and the vault is then locked until the recovery code unlocks it", async ({
    demo: { origin },
    page,
    person,
  }) => {
    await person.useDevice("never");
    const code = await signUp(page, origin);
    const keys = await titleHashIn(page);
    await signOut(page);
    await signInWithPasskey(page, "Locked");
    expect(await titleHashIn(page)).toBeUndefined();
    await page.getByRole("button", { name: "Unlock with your passkey" }).click();
    await page.getByText("This passkey cannot unlock your items.").waitFor();
    await page.getByLabel("Recovery code").fill(code);
    await page.getByRole("button", { name: "Use the recovery code" }).click();
    await page.getByText("Your vault is ready").waitFor();
    expect(await titleHashIn(page)).toBe(keys);
  });

  it("after a sign-in with the recovery code, the page offers a passkey; it and a new code unlock the same keys, and the old code does not", async ({
    demo: { origin },
    openPerson,
    page,
    person,
  }) => {
    const oldCode = await signUp(page, origin, "Continue without a passkey");
    const keys = await titleHashIn(page);
    await signOut(page);
    await fillRecoveryCode(page, oldCode);
    await page.keyboard.press("Enter");
    await waitForTitle(page, "Add a passkey to this device");
    expect(await findViolations(page)).toEqual([]);
    // What the server did not store is sent again.
    await page.route("**/account/api/passkeys/finish", (route) => route.abort(), { times: 1 });
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("The server did not answer.").waitFor();
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.waitForURL("**/console");
    expect(await person.passkeyCount()).toBe(1);
    await page.goto(`${origin}/console/security`);
    await page.getByText(/^On one device only\./).waitFor();
    await page.getByRole("button", { name: "Create a new recovery code" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Use a passkey" }).click();
    const shown = page.getByRole("dialog", { name: "Your recovery code" });
    const newCode = (await shown.locator(".shown-code").textContent()) ?? "";
    await shown.getByLabel("Last group of the code").fill(newCode.slice(-4));
    await shown.getByRole("button", { name: "I have stored it" }).click();
    await page.getByText("The old one no longer works.").waitFor();
    const { page: elsewhere } = await openPerson();
    await elsewhere.goto(`${origin}/sign-in`);
    await fillRecoveryCode(elsewhere, oldCode);
    await elsewhere.keyboard.press("Enter");
    await elsewhere.getByRole("alert").getByText("Signing in failed").waitFor();
    await signInWithCode(elsewhere, newCode);
    expect(await titleHashIn(elsewhere)).toBe(keys);
  });

  it("zero knowledge: memory, files and log of the server contain no private key, recovery code, vault key, name of a vault or content of an item", async ({
    page,
  }) => {
    const dataDir = await temporaryFolder();
    const app = await runApp({ DATA_DIR: dataDir });
    const demoFile = join(dataDir, "demo", "recovery-code.txt");
    const [, url = "", codeFile] = /^Open (\S+) and sign in with the code in (.*)\.$/m.exec(app.out()) ?? [];
    expect(codeFile).toBe(demoFile);
    expect(app.out()).not.toContain((await readFile(demoFile, "utf8")).trim());
    await recordSecrets(page);
    const sent: (string | null)[] = [];
    page.on("request", (request) => sent.push(request.url(), request.postData()));
    await page.goto(`${url}/sign-up`);
    await page.getByLabel("Your name").fill("Ada Zero Knowledge");
    await page.getByRole("button", { name: "Create a passkey" }).click();
    const code = await shownRecoveryCode(page);
    const secrets = new Map([...(await secretsOf(page)), ...(await secretsOfCode(code))]);
    // Private exponent, two primes, title key, signing key; PRF output, wrapping key; the code.
    expect(secrets.size).toBeGreaterThanOrEqual(5 * 2 + 2 * 2 + 4);
    await storeRecoveryCode(page);
    await createVault(page, "Vault of Zero Knowledge");
    await beginItem(page);
    const written = {
      ...{ Title: "Title of Zero Knowledge", Username: "user-of-zero", Password: "password-of-zero" },
      ...{ Website: "zero.example.com", Tags: "tag-of-zero" },
    };
    await fill(page, written);
    for (const [label, text] of Object.entries(written)) secrets.set(`${label} of an item`, Buffer.from(text));
    const file = Buffer.from("contents of a file of zero knowledge");
    secrets.set("file", file).set("file in base64url", Buffer.from(file.toString("base64url")));
    await addField(page, "File");
    await page
      .getByLabel("File", { exact: true })
      .setInputFiles({ name: "zero.txt", mimeType: "text/plain", buffer: file });
    secrets.set("name of a file", Buffer.from("zero.txt"));
    await save(page);
    await page.getByRole("article", { name: written.Title }).getByText(written.Username).waitFor();
    for (const [name, text] of await secretsOf(page)) secrets.set(`${name} of the vault`, text);
    secrets.set("name of the vault", Buffer.from("Vault of Zero Knowledge"));
    // The vault key is imported and exported.
    expect(secrets.size).toBeGreaterThanOrEqual(5 * 2 + 2 * 2 + 4 + 4);
    await signOut(page);
    await signInWithPasskey(page);
    await signOut(page);
    await signInWithCode(page, code);

    // What the server does store is found by the same search.
    const controls = new Map([["display name", Buffer.from("Ada Zero Knowledge")]]);
    expect([...(await findInMemory(app.pid, controls))]).toEqual(["display name"]);
    expect([...(await findInMemory(app.pid, secrets))]).toEqual([]);

    const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    const contents = new Map(await Promise.all(files.map(async (file) => [file, await readFile(file)] as const)));
    contents.set("log", Buffer.from(app.err()));
    contents.set("requests", Buffer.from(sent.join("\n")));
    const findIn = (text: Buffer) => [...contents].filter(([, bytes]) => bytes.includes(text)).map(([name]) => name);
    expect(findIn(Buffer.from("Ada Zero Knowledge")).join()).toMatch(/platform\.sqlite.*requests/);
    expect(findIn(Buffer.from("/account/api/sign-in/finish"))).toContain("log");
    expect([...secrets].filter(([, text]) => findIn(text).length > 0).map(([name]) => name)).toEqual([]);
  });
});

/** How much is read at once, in bytes. */
const chunk = 256 * 1024;

/** Returns the names of those texts that are in the writable memory of a process: its heaps, buffers and stacks. Linux only. */
async function findInMemory(pid: number, texts: ReadonlyMap<string, Buffer>): Promise<Set<string>> {
  const found = new Set<string>();
  const longest = Math.max(...[...texts.values()].map(({ length }) => length));
  const buffer = Buffer.alloc(chunk + longest);
  const zeros = Buffer.alloc(chunk + longest);
  await using memory = await open(`/proc/${pid}/mem`);
  for (const { start, end } of await writableRanges(pid)) {
    // Chunks overlap, so that no text is cut.
    for (let at = start; at < end; at += chunk) {
      const length = Math.min(chunk + longest, end - at);
      const read = await memory.read(buffer, 0, length, at).catch(() => undefined);
      const bytes = buffer.subarray(0, read?.bytesRead ?? 0);
      // Most of the memory was never used.
      if (bytes.equals(zeros.subarray(0, bytes.length))) continue;
      for (const [name, text] of texts) if (bytes.includes(text)) found.add(name);
    }
  }
  return found;
}

async function writableRanges(pid: number): Promise<{ readonly start: number; readonly end: number }[]> {
  const maps = await readFile(`/proc/${pid}/maps`, "utf8");
  return [...maps.matchAll(/^([0-9a-f]+)-([0-9a-f]+) rw/gm)].map(([, start = "", end = ""]) => ({
    start: Number.parseInt(start, 16),
    end: Number.parseInt(end, 16),
  }));
}
