import { openPersonPage, startChromium, withoutChromium } from "@platform-rpc/accounts/testing/browser";
import { signUp } from "@platform-rpc/accounts/testing/browser-steps";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import { writeContent } from "@platform-rpc/items/item-content";
import { writeVaultFile } from "@platform-rpc/items/vault-file";
import { freePort } from "@platform-rpc/testbed/network";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { recordSecrets, secretsOf } from "../testing/secrets-of-page.js";
import { startSite } from "../testing/start-site.js";
import { encryptedBitwarden, passwordOf, smallZip } from "./testing/import-files.js";

const wide = { width: 1280, height: 900 };
const count = 1_000;
const numbers = Array.from({ length: count }, (_, index) => index);

const table = (header: string, row: (index: number) => string) => `${[header, ...numbers.map(row)].join("\n")}\n`;
const website = "https://mail.example.com";

const bitwardenItems = (from: number, to: number) =>
  JSON.stringify({
    encrypted: false,
    folders: [],
    items: numbers.slice(from, to).map((index) => ({
      type: 1,
      name: `Mail ${index}`,
      login: { username: "ada", password: passwordOf(index), uris: [{ uri: website }] },
    })),
  });

const onePasswordItems = JSON.stringify({
  accounts: [
    {
      vaults: [
        {
          attrs: { name: "Personal" },
          items: numbers.map((index) => ({
            categoryUuid: "001",
            overview: { title: `Mail ${index}`, url: website },
            details: {
              loginFields: [
                { value: "ada", designation: "username", fieldType: "T" },
                { value: passwordOf(index), designation: "password", fieldType: "P" },
              ],
              sections: [],
            },
          })),
        },
      ],
    },
  ],
});

/** A file of each program, with 1,000 logins. */
const files: ReadonlyMap<string, string | Buffer> = new Map<string, string | Buffer>([
  [
    "chrome.csv",
    table("name,url,username,password,note", (index) => `Mail ${index},${website},ada,${passwordOf(index)},`),
  ],
  [
    "firefox.csv",
    table(
      '"url","username","password","httpRealm","formActionOrigin","guid","timeCreated","timeLastUsed","timePasswordChanged"',
      (index) => `"https://mail-${index}.example.com","ada","${passwordOf(index)}","","","{${index}}","1","2","3"`,
    ),
  ],
  [
    "safari.csv",
    table(
      "Title,URL,Username,Password,Notes,OTPAuth",
      (index) => `Mail ${index},${website},ada,${passwordOf(index)},,`,
    ),
  ],
  [
    "bitwarden.csv",
    table(
      "folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp",
      (index) => `Work,,login,Mail ${index},,,0,${website},ada,${passwordOf(index)},`,
    ),
  ],
  [
    "1password.csv",
    table(
      "Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes",
      (index) => `Mail ${index},${website},ada,${passwordOf(index)},,false,false,,`,
    ),
  ],
  ["bitwarden.json", bitwardenItems(0, count)],
  ["archive.1pux", smallZip("export.data", onePasswordItems)],
]);

/** Returns the encrypted file that the vault exports, with 1,000 logins. */
const ownFile = () =>
  writeVaultFile(
    numbers.map((index) => {
      const fields = [
        { name: "username", type: "text", value: "ada" },
        { name: "password", type: "secret", value: passwordOf(index) },
        { name: "website", type: "url", value: website },
      ] as const;
      return { kind: "login", vault: "Personal", content: writeContent({ title: `Mail ${index}`, fields }) };
    }),
    passphrase,
  );

const passphrase = "four words that nobody says";

describe.skipIf(withoutChromium)("the import, in Chromium", () => {
  let started: AsyncDisposableStack;
  let origin: string;
  let browser: Awaited<ReturnType<typeof startChromium>>;
  beforeAll(async () => {
    started = new AsyncDisposableStack();
    // The API must know the accounts origin before it listens. The rates are those of 6,000 items a minute: less than these tests import.
    const environment = { ACCOUNTS_PORT: String(await freePort()), RATE_LIMITS: "off" };
    ({ origin } = started.use(await startSite(environment)));
    browser = started.use(await startChromium());
    return () => started.disposeAsync();
  });

  async function openImport() {
    const person = await openPersonPage(browser);
    const { page } = person;
    await page.setViewportSize(wide);
    await recordSecrets(page);
    const bodies: Buffer[] = [];
    page.on("request", (request) => bodies.push(request.postDataBuffer() ?? Buffer.alloc(0)));
    await signUp(page, origin);
    await page.goto(`${origin}/console`);
    await page.getByRole("link", { name: "Import", exact: true }).click();
    await page.getByRole("heading", { name: "Import items" }).waitFor();
    return { ...person, bodies, [Symbol.asyncDispose]: () => person[Symbol.asyncDispose]() };
  }

  const choose = (page: Page, name: string, content: string | Buffer) =>
    page
      .getByLabel("File", { exact: true })
      .setInputFiles({ name, mimeType: "application/octet-stream", buffer: Buffer.from(content) });
  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
  const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });
  const shownCount = async (page: Page) => {
    const link = page.getByRole("navigation").getByRole("link", { name: "All items" });
    return (await link.locator(".count").textContent()) || "0";
  };

  it("stores 1,000 items of each program, without their plaintext in any request, and deletes them again", async () => {
    await using person = await openImport();
    const { page, problems, bodies } = person;
    const all = new Map(files).set("vault.json", await ownFile());
    for (const [name, content] of all) {
      await choose(page, name, content);
      if (name === "vault.json") {
        await page.getByLabel("Password of the file").fill(passphrase);
        await press(page, "Open the file");
      }
      await press(page, `Import ${count} items`);
      await heading(page, `Imported ${count} items`).waitFor();
      await expect.poll(() => shownCount(page), { message: name }).toBe(String(count));
      await press(page, "Undo import");
      await heading(page, `Deleted ${count} items again`).waitFor();
      await press(page, "Done");
      await expect.poll(() => shownCount(page)).toBe("0");
    }
    const sent = Buffer.concat(bodies);
    expect(sent.byteLength).toBeGreaterThan(count * all.size * 500);
    const found = [...(await secretsOf(page))].filter(([, secret]) => sent.includes(secret)).map(([secret]) => secret);
    expect(found).toEqual([]);
    for (const text of ["hunter2", "mail.example.com", "Mail 17", passphrase]) {
      expect(sent.includes(text)).toBe(false);
      expect(sent.includes(Buffer.from(text).toString("base64url").slice(0, -2))).toBe(false);
    }
    expect(problems).toEqual([]);
  });

  it("opens a file with its password only, and skips what the vault has already", async () => {
    await using person = await openImport();
    const { page, problems } = person;
    await choose(page, "export.json", await encryptedBitwarden("correct horse", bitwardenItems(0, 20)));
    await page.getByLabel("Password of the file").fill("wrong");
    await press(page, "Open the file");
    await page.getByText("The password is wrong").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize(wide);
    await page.getByLabel("Password of the file").fill("correct horse");
    await press(page, "Open the file");
    await press(page, "Import 20 items");
    await heading(page, "Imported 20 items").waitFor();
    await press(page, "Done");
    await expect.poll(() => shownCount(page)).toBe("20");
    await choose(page, "export.json", bitwardenItems(0, 30));
    await page.getByLabel("Skip 20 items that the vault has already").waitFor();
    await press(page, "Import 10 items");
    await heading(page, "Imported 10 items").waitFor();
    await page.getByText("They are in the vault already.").waitFor();
    expect(problems).toEqual([]);
  });

  it("shows how columns are read, lets the person change it, and saves the list of what was skipped", async () => {
    await using person = await openImport();
    const { page, problems } = person;
    await choose(page, "other.csv", `service;who;word\nMail;ada;${passwordOf(1)}\nLarge;x;${"x".repeat(40_000)}\n`);
    await page.getByLabel("Read service as").selectOption("Title");
    await page.getByLabel("Read who as").selectOption("Username");
    await page.getByLabel("Read word as").selectOption("Password");
    await page.getByRole("cell", { name: "••••••••" }).waitFor();
    await page.getByRole("list", { name: "The first items" }).getByText("Mail").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize(wide);
    await press(page, "Import 1 item");
    await heading(page, "Imported 1 item").waitFor();
    const download = page.waitForEvent("download");
    await press(page, "Save this list");
    expect((await download).suggestedFilename()).toBe("not-imported.txt");
    await page.getByText("“Large”: The item is").waitFor();
    expect(problems).toEqual([]);
  });

  it("goes on by itself after a lost network, and can be paused and continued", async () => {
    await using person = await openImport();
    const { page, problems } = person;
    const pattern = "**/platform.accounts.v1.MemberVaultService/PutItems";
    let calls = 0;
    await page.route(pattern, (route) => {
      calls += 1;
      return calls > 4 ? route.abort() : route.continue();
    });
    await choose(page, "chrome.csv", files.get("chrome.csv") ?? "");
    await press(page, `Import ${count} items`);
    await page.getByText("The network is away").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize(wide);
    await press(page, "Pause");
    await page.getByRole("heading", { name: /^Paused: \d+ of 1000 items imported/ }).waitFor();
    await press(page, "Continue");
    await page.getByText("The network is away").waitFor();
    await page.unroute(pattern);
    await heading(page, `Imported ${count} items`).waitFor();
    await expect.poll(() => shownCount(page)).toBe(String(count));
    expect(problems).toEqual([]);
  });

  it("can be cancelled while it runs: it lists what was not stored, and undoes what was", async () => {
    await using person = await openImport();
    const { page, problems } = person;
    let calls = 0;
    await page.route("**/platform.accounts.v1.MemberVaultService/PutItems", (route) => {
      calls += 1;
      return calls > 3 ? route.abort() : route.continue();
    });
    await choose(page, "chrome.csv", files.get("chrome.csv") ?? "");
    await press(page, `Import ${count} items`);
    await expect.poll(() => shownCount(page)).toBe("300");
    await press(page, "Cancel");
    await heading(page, `Cancelled: 300 of ${count} items imported`).waitFor();
    await page.getByText("Not imported: 700").waitFor();
    await page.getByText("The import was stopped before it.").first().waitFor();
    expect(await page.getByRole("button", { name: "Continue" }).count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize(wide);
    await press(page, "Undo import");
    await heading(page, "Deleted 300 items again").waitFor();
    await press(page, "Done");
    await expect.poll(() => shownCount(page)).toBe("0");
    expect(problems).toEqual([]);
  });

  it("after a reload in the middle, lists what was not imported and why, and offers to undo what was stored", async () => {
    await using person = await openImport();
    const { page, problems } = person;
    let calls = 0;
    await page.route("**/platform.accounts.v1.MemberVaultService/PutItems", async (route) => {
      calls += 1;
      if (calls <= 3) await route.continue();
    });
    await choose(page, "chrome.csv", `${files.get("chrome.csv")}Large,,x,${"x".repeat(40_000)},\n`);
    await press(page, `Import ${count} items`);
    await expect.poll(() => shownCount(page)).toBe("300");
    await page.reload();
    await heading(page, `Your last import stored 300 of ${count} items`).waitFor();
    await page.getByText("“Large”: The item is").waitFor();
    await page.getByText("It was not stored before the page was left.").first().waitFor();
    await page.getByText("Not imported: 701").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize(wide);
    await press(page, "Undo import");
    await heading(page, "Deleted 300 items again").waitFor();
    await press(page, "Done");
    await expect.poll(() => shownCount(page)).toBe("0");
    await page.reload();
    await page.getByLabel("File", { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });
});
