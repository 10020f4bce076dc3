import { readFile } from "node:fs/promises";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import { readVaultFile } from "@platform-rpc/items/vault-file";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { addField, beginItem, fill, goWithPalette, openedItem, openNewVault, save } from "../testing/console-steps.js";
import { it } from "../testing/in-browser.js";
import type { Demo } from "../testing/start-demo.js";

const passphrase = "glacier-mango-unwired-tulip-kettle";

describe("the export and the passwords of a person, in Chromium", () => {
  /** Opens the vault of a new person and the form of a login. Returns what the page sends. */
  async function addLogin(
    page: Page,
    demo: Demo,
    fields: Readonly<Record<string, string>>,
  ): Promise<readonly string[]> {
    const sent: string[] = [];
    page.on("request", (request) => sent.push(`${request.url()} ${request.postData() ?? ""}`));
    await openNewVault(page, demo);
    await beginItem(page);
    await fill(page, fields);
    return sent;
  }

  /** Clicks Export, and returns the text of the file that is saved. */
  async function saved(page: Page, click: () => Promise<void>) {
    const downloading = page.waitForEvent("download");
    await click();
    const download = await downloading;
    return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
  }
  const exportNow = (page: Page) => page.getByRole("button", { name: "Export", exact: true }).click();

  it("both files are saved after a recent sign-in, contain the items, and are listed as activity", async ({
    demo,
    page,
  }) => {
    const sent = await addLogin(page, demo, {
      Title: "Example mail",
      Username: "ada@example.com",
      Password: "zQ8!pancake-orbit",
      Tags: "work",
    });
    await addField(page, "File");
    await page
      .getByLabel("File", { exact: true })
      .setInputFiles({ name: "hello.txt", mimeType: "text/plain", buffer: Buffer.from("Hello") });
    await save(page);
    await openedItem(page, "Example mail").waitFor();

    await goWithPalette(page, "export");
    await page.getByRole("heading", { name: "Export", level: 1 }).waitFor();
    await page.getByText("1 item will be exported.").waitFor();
    expect(await findViolations(page)).toEqual([]);

    const first = page.getByLabel("Passphrase", { exact: true });
    const again = page.getByLabel("The same passphrase again");
    for (const [typed, repeated, problem] of [
      ["short", "short", "at least 12 characters"],
      ["password1234", "password1234", "too easy to guess"],
      [passphrase, `${passphrase}!`, "The two passphrases differ"],
    ] as const) {
      await first.fill(typed);
      await again.fill(repeated);
      await exportNow(page);
      await page.getByRole("alert").getByText(problem).waitFor();
    }
    expect(sent.filter((request) => request.includes("/account/api/exports"))).toEqual([]);
    await again.fill(passphrase);
    const refusal = { reason: "SIGN_IN_AGAIN", message: "You signed in more than 5 minutes ago." };
    await page.route("**/account/api/exports", (route) => route.fulfill({ status: 401, json: refusal }), { times: 1 });
    await exportNow(page);
    const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
    const encrypted = await saved(page, () => dialog.getByRole("button", { name: "Use a passkey" }).click());
    expect(encrypted.name).toMatch(/^vault-encrypted-\d{4}-\d\d-\d\d\.json$/);
    const [item] = await readVaultFile(encrypted.text, passphrase);
    expect(item).toMatchObject({ kind: "login", vault: expect.any(String) });
    expect(JSON.parse(item?.content ?? "")).toMatchObject({ version: 1, title: "Example mail", tags: ["work"] });
    expect(item?.content).toContain('"fileName":"hello.txt"');
    await page.getByText("The file was saved. It contains 1 item.").waitFor();

    await page.getByLabel("Bitwarden JSON").check();
    await page.getByText("can read all your passwords").waitFor();
    await page.getByText("hello.txt, in “Example mail”").waitFor();
    expect(await findViolations(page)).toEqual([]);
    const open = await saved(page, () => exportNow(page));
    expect(open.name).toMatch(/^vault-unencrypted-/);
    expect(JSON.parse(open.text)).toMatchObject({
      encrypted: false,
      folders: [{ name: "work" }],
      items: [{ type: 1, name: "Example mail", login: { username: "ada@example.com", password: "zQ8!pancake-orbit" } }],
    });

    await page.route("**/account/api/exports", (route) => route.abort(), { times: 1 });
    let downloads = 0;
    page.on("download", () => {
      downloads += 1;
    });
    await exportNow(page);
    await page.getByText("The server did not answer.").waitFor();
    expect(downloads).toBe(0);

    await page.getByRole("navigation").getByRole("link", { name: "Activity" }).click();
    await page.getByText(/^Exported .+ as Bitwarden JSON, unencrypted$/).waitFor();
    await page.getByText(/^Exported .+ as an encrypted file$/).waitFor();
    expect(await page.content()).not.toContain("zQ8!pancake-orbit");
    for (const secret of ["Example mail", "pancake", passphrase, "SGVsbG8"])
      expect(sent.join("\n")).not.toContain(secret);
  });

  it("weak passwords are found without the network, and passphrases are generated", async ({ demo, page }) => {
    const sent = await addLogin(page, demo, { Title: "Old forum", Username: "ada", Password: "password1" });
    await page.getByText(/^Very weak\. This is/).waitFor();
    await save(page);
    await openedItem(page, "Old forum").waitFor();
    await goWithPalette(page, "weak");
    await page.getByText("1 item to improve.").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("region", { name: "Easy to guess" }).getByRole("link", { name: "Old forum" }).click();
    await openedItem(page, "Old forum").getByRole("link", { name: "Edit" }).click();
    await page.getByRole("button", { name: "Generate" }).click();
    const generator = page.getByRole("group", { name: "Password generator" });
    await generator.getByText("Very strong").waitFor();
    await page.getByLabel("Passphrase: words").check();
    await generator.getByText("Very strong").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Use this passphrase" }).click();
    await page.getByText("Strong.").waitFor();
    await save(page);
    await openedItem(page, "Old forum").waitFor();
    await goWithPalette(page, "weak");
    await page.getByText("Every password is strong, and used once.").waitFor();
    expect(sent.join("\n")).not.toContain("password1");
  });
});
