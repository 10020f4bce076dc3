import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { addPasskeyDevice, startChromium } from "@platform-rpc/testbed/chromium";
import type { Locator, Page } from "playwright-core";
import sharp from "sharp";
import { fixText } from "./fix-text.ts";
import { recordJourney } from "./record-journey.ts";
import { createSheet } from "./sheet.ts";
import { type DemoApp, startApp } from "./start-app.ts";

const images = fileURLToPath(new URL("../../../../docs/images/", import.meta.url));

/** The pixels of a picture for each pixel of the page: the pages of the documentation show the pictures at about two thirds of that size. */
const deviceScaleFactor = 1.5;

/** A palette makes the file of a screenshot less than half as large. Dithering would put dots into plain areas. */
const withPalette = { palette: true, dither: 0, compressionLevel: 9 };

/** Pages that are higher are shown completely. */
const wide = { width: 760, height: 240 };

/** The thumbprint of RFC 8037 appendix A.3. */
const exampleThumbprint = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";

type Take = (name: string, schemes?: readonly ("light" | "dark")[]) => Promise<void>;

/** All states in all windows, to be looked at together. */
const sheet = createSheet();

function takeOf(page: Page): Take {
  return async (name, schemes = ["light"]) => {
    await fixText(page);
    // The sheet has narrow windows of all.
    if (!name.endsWith("-narrow")) await sheet.add(name, page);
    // In a picture of a whole page, what stays at the end of the window would be where the window ends.
    const size = page.viewportSize() ?? wide;
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.setViewportSize({ ...size, height: Math.max(size.height, height) });
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      const path = join(images, schemes.length === 1 ? `${name}.png` : `${name}-${colorScheme}.png`);
      const picture = await page.screenshot({ fullPage: true, animations: "disabled" });
      await sharp(picture).png(withPalette).toFile(path);
    }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize(size);
  };
}

async function takePages(page: Page, { origin, callOauth, recoveryCode, consentUrl }: DemoApp): Promise<void> {
  const take = takeOf(page);
  await page.goto(`${origin}/sign-up`);
  await page.getByLabel("Your name").fill("Ada Lovelace");
  await take("sign-up");
  await page.getByRole("button", { name: "Create a passkey" }).click();
  await page.getByRole("heading", { name: "Your recovery code" }).waitFor();
  // The picture shows an example.
  const code = await page.locator("#shown-recovery-code").textContent();
  await take("recovery-code");
  await page.getByLabel("Last group of the code").fill(code?.slice(-4) ?? "");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForURL("**/console**");
  await page.getByRole("heading", { name: /^Your vault is ready/ }).waitFor();
  await sheet.add("first run", page);

  const withKey = await callOauth("device_authorization", { dpop_jkt: exampleThumbprint });
  const userCode = withKey("user_code");
  await page.goto(`${origin}/device?user_code=${userCode}`);
  await take("device-code");
  await page.getByLabel("Code on the device").fill(userCode);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Approve" }).waitFor();
  const until = await page.getByLabel("Until").inputValue();
  await take("device-review", ["light", "dark"]);
  await page.setViewportSize({ width: 360, height: 640 });
  await take("device-review-narrow");
  await page.setViewportSize(wide);
  // The picture shows an example.
  await page.getByLabel("Until").fill(until);
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("heading", { name: "Approved" }).waitFor();
  await take("device-approved");

  const toDeny = await callOauth("device_authorization", {});
  await page.goto(toDeny("verification_uri_complete"));
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Deny" }).click();
  await page.getByRole("heading", { name: "Denied" }).waitFor();
  await take("device-denied");

  /** Lets the person who is signed in approve the agent, which then has tokens. */
  const approveAgent = async () => {
    const started = await callOauth("device_authorization", {});
    await page.goto(started("verification_uri_complete"));
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("heading", { name: "Approved" }).waitFor();
    const grantType = "urn:ietf:params:oauth:grant-type:device_code";
    await callOauth("token", { grant_type: grantType, device_code: started("device_code") });
  };
  await approveAgent();
  await page.setViewportSize({ width: 1024, height: 480 });
  await page.goto(`${origin}/console/security`);
  await page.getByText("This device", { exact: true }).first().waitFor();
  await take("console-security", ["light", "dark"]);
  await page.getByRole("button", { name: "Ada Lovelace" }).click();
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.setViewportSize(wide);
  await page.waitForURL("**/sign-in");
  await take("sign-in");

  await page.getByText("Use a recovery code instead").click();
  await page.getByLabel("Recovery code").fill(recoveryCode);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Not now" }).click();
  await page.setViewportSize({ width: 1280, height: 640 });
  await itemOf(page, "Example mail").click();
  await page.getByRole("article", { name: "Example mail" }).waitFor();
  await take("console", ["light", "dark"]);
  await page.setViewportSize({ width: 1024, height: 480 });
  await page.goto(`${origin}/console/activity`);
  await page
    .getByRole("heading", { name: /^Signed in with a recovery code/ })
    .first()
    .waitFor();
  await take("console-activity");
  await approveAgent();
  await page.goto(`${origin}/console/agents`);
  await page.getByText("delete 25 more items (of 25) in Personal and Demo").waitFor();
  await take("console-agents");
  await page.goto(consentUrl("demo-card"));
  // The page has a title once the browser has decrypted it.
  await page.getByText("Example card").first().waitFor();
  await sheet.add("consent", page);
}

function itemOf(page: Page, title: string): Locator {
  return page.getByRole("list", { name: "Items" }).getByRole("link", { name: title });
}

function deleteOf(page: Page): Locator {
  return page.getByRole("article").getByRole("button", { name: "Delete", exact: true });
}

async function takeDeletion(page: Page, { origin }: DemoApp): Promise<void> {
  const take = takeOf(page);
  const deletion = "**/platform.accounts.v1.MemberVaultService/DeleteItems";
  await page.setViewportSize({ width: 1024, height: 480 });
  await page.goto(`${origin}/console/vaults/demo-vault`);
  await itemOf(page, "Example card").waitFor();
  const taken = Promise.withResolvers<void>();
  await page.route(deletion, async (route) => {
    await taken.promise;
    await route.continue();
  });
  await page.getByLabel("Search").fill("example");
  await itemOf(page, "Alarm code").waitFor({ state: "detached" });
  await page.getByRole("checkbox", { name: "Select Example card" }).click();
  await page.getByRole("checkbox", { name: "Select Example API" }).click();
  await page
    .getByRole("group", { name: "Selected items" })
    .getByRole("button", { name: "Delete", exact: true })
    .click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete 2 items" }).click();
  await page.getByText("0 of 2", { exact: true }).waitFor();
  await take("console-deletion");
  taken.resolve();
  await page.getByRole("heading", { name: "Deleted 2 of 2 items" }).waitFor();
}

/** Takes the pages on which a person adds an item, imports some, and exports all. */
async function takeItems(page: Page, { origin }: DemoApp): Promise<void> {
  const take = takeOf(page);
  await page.setViewportSize({ width: 1280, height: 640 });
  await page.goto(`${origin}/console`);
  await page.getByRole("link", { name: "Personal" }).click();
  await page.getByRole("navigation", { name: "Add items" }).getByRole("link", { name: "Login" }).click();
  await page.getByLabel("Title", { exact: true }).fill("Bakery");
  await page.getByLabel("Username", { exact: true }).fill("ada@example.com");
  await page.getByLabel("Website", { exact: true }).fill("https://bakery.example");
  await take("console-new-item");
  await page.setViewportSize({ width: 1024, height: 480 });
  await page.goto(`${origin}/console/import`);
  const csv =
    "name,url,username,password,note\nBakery,https://bakery.example,ada@example.com,example,\nLibrary,https://library.example,ada,example,Card 17\n";
  await page
    .getByLabel("File", { exact: true })
    .setInputFiles({ name: "passwords.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
  await page.getByRole("button", { name: "Import 2 items" }).waitFor();
  await take("console-import");
  await page.goto(`${origin}/console/export`);
  await page.getByText(/items will be exported\.$/).waitFor();
  await take("console-export");
}

/** Takes the conflict that a person sees when an item that they look at was deleted and restored in another window. */
async function takeConflict(page: Page, { origin }: DemoApp): Promise<void> {
  const other = await page.context().newPage();
  for (const each of [page, other]) {
    await each.goto(`${origin}/console/vaults/demo-vault`);
    await itemOf(each, "Alarm code").click();
    await deleteOf(each).waitFor();
  }
  await deleteOf(other).click();
  await other.getByRole("button", { name: "Undo" }).click();
  await itemOf(other, "Alarm code").waitFor();
  await other.close();
  await page.getByText("Someone changed this item.").waitFor();
  await deleteOf(page).click();
  await page.getByRole("row", { name: "Title Alarm code Alarm code" }).waitFor();
  await takeOf(page)("console-conflict");
}

/** Shows an item of each kind. */
async function showItems(page: Page, { origin }: DemoApp): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${origin}/console/vaults/demo-vault`);
  const links = page.getByRole("list", { name: "Items" }).getByRole("link");
  await links.first().waitFor();
  for (const title of await links.allTextContents()) {
    await itemOf(page, title).click();
    await page.getByRole("heading", { name: title }).waitFor();
    await sheet.add(`item ${title}`, page);
  }
}

/** Shows what no page of the documentation has a picture of. */
async function showMore(page: Page, { origin, addItems }: DemoApp): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${origin}/console/vaults/demo-vault`);
  const links = page.getByRole("list", { name: "Items" }).getByRole("link");
  await links.first().click();
  await page.getByRole("link", { name: "Edit" }).click();
  await page.getByLabel("Title", { exact: true }).fill("Changed");
  await sheet.add("edit", page);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "History" }).click();
  await page.getByRole("dialog").getByRole("listitem").first().waitFor();
  await sheet.add("history", page);
  await page.keyboard.press("Escape");
  await page.goto(`${origin}/console/passwords`);
  await page.getByRole("heading", { level: 2 }).first().waitFor();
  await sheet.add("passwords", page);
  await page.goto(`${origin}/console`);
  await itemOf(page, "Delete me").waitFor();
  await page.context().setOffline(true);
  await page
    .getByText(/^Offline/)
    .first()
    .waitFor();
  await sheet.add("offline", page);
  await page.context().setOffline(false);
  await page.getByRole("navigation").getByRole("link", { name: "Personal" }).click();
  await addItems(page, "demo-user", 10_000);
  await page.getByPlaceholder("Search 10,000 items").waitFor();
  await page.locator("[data-decrypting]").waitFor({ state: "detached" });
  await sheet.add("10,000 items", page);
  await page.locator("[popovertarget=person-menu]").click();
  await page.getByRole("button", { name: /^Lock/ }).click();
  await page.getByRole("heading", { name: "Locked" }).waitFor();
  await sheet.add("locked", page);
}

const dataDir = mkdtempSync(join(tmpdir(), "screenshots-"));
try {
  await using app = await startApp(dataDir);
  await using chromium = await startChromium({ whole: true, args: ["--font-render-hinting=none"] });
  mkdirSync(images, { recursive: true });
  const context = await chromium.browser.newContext({ deviceScaleFactor, viewport: wide });
  const page = await context.newPage();
  await addPasskeyDevice(page);
  await takePages(page, app);
  await showItems(page, app);
  writeFileSync(join(images, "journey.webp"), await recordJourney(page, app, join(dataDir, "home")));
  await takeConflict(page, app);
  await takeDeletion(page, app);
  await takeItems(page, app);
  await showMore(page, app);
  writeFileSync(join(images, "screens.webp"), await sheet.draw());
} finally {
  rmSync(dataDir, { recursive: true });
}
