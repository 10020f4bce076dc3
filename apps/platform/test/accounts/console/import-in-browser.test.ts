import { readFile } from "node:fs/promises";
import { withoutChromium } from "@platform-rpc/accounts/testing/browser";
import { signUp } from "@platform-rpc/accounts/testing/browser-steps";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import { writeContent } from "@platform-rpc/items/item-content";
import { writeVaultFile } from "@platform-rpc/items/vault-file";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { withApp } from "../testing/in-browser.js";
import { recordSecrets, secretsOf } from "../testing/secrets-of-page.js";

const website = "https://mail.example.com";
const passwordOf = (index: number) => `hunter2-${index}`;
const passphrase = "four words that nobody says";

const numbersTo = (count: number) => Array.from({ length: count }, (_, index) => index);

const chromeCsv = (count: number) => {
  const rows = numbersTo(count).map((index) => `Mail ${index},${website},ada,${passwordOf(index)},`);
  return `${["name,url,username,password,note", ...rows].join("\n")}\n`;
};

/** Returns the encrypted file that the vault exports. */
const ownFile = (count: number) =>
  writeVaultFile(
    numbersTo(count).map((index) => {
      const fields = [
        { name: "username", type: "text", value: "ada" },
        { name: "password", type: "secret", value: passwordOf(index) },
        { name: "website", type: "url", value: website },
      ] as const;
      return { kind: "login", vault: "Personal", content: writeContent({ title: `Mail ${index}`, fields }) };
    }),
    passphrase,
  );

// The rates are those of 6,000 items a minute: less than these tests import.
const it = withApp
  .extend("environment", { scope: "file" }, { RATE_LIMITS: "off" })
  .extend("importer", async ({ demo, page }) => {
    await recordSecrets(page);
    const bodies: Buffer[] = [];
    page.on("request", (request) => bodies.push(request.postDataBuffer() ?? Buffer.alloc(0)));
    await signUp(page, demo.origin);
    await page.goto(`${demo.origin}/console/import`);
    await page.getByRole("heading", { name: "Import items" }).waitFor();
    return { page, bodies };
  })
  .skipIf(withoutChromium);

describe("the import, in Chromium", () => {
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

  it("stores the items of a table and of an encrypted file, without their plaintext in any request, and deletes them again", async ({
    importer: { page, bodies },
  }) => {
    // Two calls of at most 100 items.
    const count = 120;
    for (const [name, content] of [
      ["chrome.csv", chromeCsv(count)],
      ["vault.json", await ownFile(count)],
    ] as const) {
      await choose(page, name, content);
      if (name === "vault.json") {
        await page.getByLabel("Password of the file").fill("wrong");
        await press(page, "Open the file");
        await page.getByText("The passphrase is wrong").waitFor();
        expect(await findViolations(page)).toEqual([]);
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
    expect(sent.byteLength).toBeGreaterThan(count * 2 * 500);
    const found = [...(await secretsOf(page))].filter(([, secret]) => sent.includes(secret)).map(([secret]) => secret);
    expect(found).toEqual([]);
    for (const text of ["hunter2", "mail.example.com", "Mail 17", passphrase]) {
      expect(sent.includes(text)).toBe(false);
      expect(sent.includes(Buffer.from(text).toString("base64url").slice(0, -2))).toBe(false);
    }
  });

  it("of the files of Chrome, Bitwarden and the vault stores every secret once, and names what it skips", async ({
    importer: { page, bodies },
    demo,
  }) => {
    const fields = [
      { name: "username", type: "text", value: "ada" },
      { name: "password", type: "secret", value: passwordOf(0) },
      { name: "website", type: "url", value: website },
      { name: "one_time_code", type: "totp", value: "GEZDGNBVGY3TQOJQ" },
      { name: "PIN", type: "secret", value: "pin-4711" },
    ] as const;
    const login = { username: "ada", password: passwordOf(0), totp: "GEZDGNBVGY3TQOJQ", uris: [{ uri: website }] };
    const custom = [
      { name: "PIN", value: "pin-4711", type: 1 },
      { name: "Hint", value: "hint-4712", type: 1 },
    ];
    const bitwarden = {
      encrypted: false,
      items: [{ type: 1, name: "Mail 0", notes: "codes-1111", login, fields: custom }],
    };
    const own = writeVaultFile(
      [
        { kind: "login", vault: "Team", content: writeContent({ title: "Mail 0", fields }) },
        {
          kind: "secure_note",
          vault: "Team",
          content: writeContent({ title: "Alarm", fields: [{ name: "notes", type: "note", value: "code-4713" }] }),
        },
      ],
      passphrase,
    );
    await choose(page, "chrome.csv", chromeCsv(1));
    await press(page, "Import 1 item");
    await press(page, "Done");
    await expect.poll(() => shownCount(page)).toBe("1");

    await choose(page, "bitwarden.json", JSON.stringify(bitwarden));
    const more = page.getByRole("region", { name: "The vault has these already, and the file has more" });
    await more.getByLabel("Add Hint").uncheck();
    expect(await findViolations(page)).toEqual([]);
    expect(await page.content()).not.toMatch(/pin-4711|codes-1111|GEZDGNBV/);
    await press(page, "Add to 1 item");
    await page.getByText("“Mail 0”: You left out Hint.").waitFor();
    await page.getByText("Fields were added to 1 item that the vault had already.").waitFor();
    expect(await page.getByRole("button", { name: "Undo import" }).count()).toBe(0);
    await press(page, "Done");

    await choose(page, "vault.json", await own);
    await page.getByLabel("Password of the file").fill(passphrase);
    await press(page, "Open the file");
    await press(page, "Import 1 item");
    await page.getByText("“Mail 0”: It is in the vault already.").waitFor();
    await press(page, "Done");
    await expect.poll(() => shownCount(page)).toBe("2");

    await page.goto(`${demo.origin}/console/export`);
    await page.getByLabel("Bitwarden JSON").check();
    const download = page.waitForEvent("download");
    await press(page, "Export");
    const exported = await readFile(await (await download).path(), "utf8");
    for (const secret of [passwordOf(0), "GEZDGNBVGY3TQOJQ", "pin-4711", "codes-1111", "code-4713"]) {
      expect(exported.split(secret).length - 1, secret).toBe(1);
      expect(Buffer.concat(bodies).includes(secret)).toBe(false);
    }
    expect(JSON.parse(exported).folders).toMatchObject([{ name: "Team" }]);
  });

  it("shows how columns are read, lets the person change it, and saves the list of what was skipped", async ({
    importer: { page },
  }) => {
    await choose(page, "other.csv", `service;who;word\nMail;ada;${passwordOf(1)}\nTorn;x;y;z\n`);
    expect(await page.getByRole("button", { name: /^Import \d/ }).isDisabled()).toBe(true);
    await page.getByLabel("The first row is").selectOption("a header, with the names of the columns");
    await page.getByRole("cell", { name: "••••••••" }).nth(2).waitFor();
    await page.getByLabel("Read service as").selectOption("Title");
    await page.getByLabel("Read who as").selectOption("Username");
    await page.getByLabel("Read word as").selectOption("Password");
    await page.getByRole("cell", { name: "••••••••" }).waitFor();
    await page.getByRole("list", { name: "The first items" }).getByText("Mail").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await press(page, "Import 1 item");
    await heading(page, "Imported 1 item").waitFor();
    const download = page.waitForEvent("download");
    await press(page, "Save this list");
    expect((await download).suggestedFilename()).toBe("not-imported.txt");
    await page.getByText("Line 3, “Torn”: The row has 4 cells").waitFor();
    // Another file can be chosen at once.
    await page.getByLabel("File", { exact: true }).waitFor();
  });

  it("goes on by itself after a lost network, and can be paused and continued", async ({ importer: { page } }) => {
    const pattern = "**/platform.accounts.v1.MemberVaultService/PutItems";
    let calls = 0;
    await page.route(pattern, (route) => {
      calls += 1;
      return calls > 4 ? route.abort() : route.continue();
    });
    await choose(page, "chrome.csv", chromeCsv(1_000));
    await press(page, "Import 1,000 items");
    await page.getByText("The network is away").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await press(page, "Pause");
    await page.getByRole("heading", { name: /^Paused: \d+ of 1,000 items imported/ }).waitFor();
    await press(page, "Continue");
    await page.getByText("The network is away").waitFor();
    await page.unroute(pattern);
    await heading(page, "Imported 1,000 items").waitFor();
    await expect.poll(() => shownCount(page)).toBe("1000");
  });

  it("after a reload in the middle, lists what was not imported and why, and offers to undo what was stored", async ({
    importer: { page },
  }) => {
    let calls = 0;
    await page.route("**/platform.accounts.v1.MemberVaultService/PutItems", async (route) => {
      calls += 1;
      if (calls <= 3) await route.continue();
    });
    await choose(page, "chrome.csv", `${chromeCsv(1_000)}Torn,,x,y,,z\n`);
    await page.getByText("1,000 items, and 1 that cannot be imported.").waitFor();
    await press(page, "Import 1,000 items");
    await expect.poll(() => shownCount(page)).toBe("300");
    await page.reload();
    await heading(page, "Your last import stored 300 of 1,000 items").waitFor();
    await page.getByText("“Torn”: The row has 6 cells").waitFor();
    await page.getByText("It was not stored before the page was left.").first().waitFor();
    await page.getByText("Not imported: 701").waitFor();
    // Another file can be chosen at once.
    await page.getByLabel("File", { exact: true }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await press(page, "Undo import");
    await heading(page, "Deleted 300 items again").waitFor();
    await press(page, "Done");
    await expect.poll(() => shownCount(page)).toBe("0");
    await page.reload();
    await page.getByLabel("File", { exact: true }).waitFor();
  });
});
