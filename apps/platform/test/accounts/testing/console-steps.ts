import { signInWithCode, signUp } from "@platform-rpc/accounts/testing/browser-steps";
import type { Locator, Page, Route } from "playwright-core";
import type { Demo } from "./start-demo.js";

/** Signs in, which opens the page of all items. */
export async function openConsole(page: Page, { origin, recoveryCode }: Demo): Promise<void> {
  await page.goto(`${origin}/sign-in`);
  await signInWithCode(page, recoveryCode);
}

/** Signs in, and opens the vault of the demo. */
export async function openVault(page: Page, demo: Demo): Promise<void> {
  await openConsole(page, demo);
  await page.getByRole("navigation").getByRole("link", { name: "Demo", exact: true }).click();
  await page.getByRole("heading", { name: "Demo", level: 1, exact: true }).waitFor();
  await itemLink(page, "Example mail").waitFor();
}

/** Signs a person up, which opens their vault: it is empty. */
export async function openNewVault(page: Page, { origin }: Pick<Demo, "origin">): Promise<void> {
  await signUp(page, origin);
  await page.getByText("Your vault is ready").waitFor();
}

/** Creates a vault in the page. Resolves with its id. */
export async function createVault(page: Page, name: string): Promise<string> {
  await page.getByRole("button", { name: "New vault" }).click();
  const dialog = page.getByRole("dialog", { name: "New vault" });
  await dialog.getByLabel("Name of the vault").fill(name);
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
  return new URL(page.url()).pathname.split("/").at(-1) ?? "";
}

export async function goWithPalette(page: Page, words: string): Promise<void> {
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Search everything" }).fill(words);
  await page.keyboard.press("Enter");
}

/** Locks the browser with the menu of the person. */
export async function lockNow(page: Page, displayName = "Demo user"): Promise<void> {
  await page.getByRole("button", { name: displayName }).click();
  await page.getByRole("button", { name: "Lock now" }).click();
}

/** Begins a new item of a kind. */
export async function beginItem(page: Page, kind = "Login"): Promise<void> {
  await page.getByRole("button", { name: "New item" }).click();
  await page.locator("#new-item-menu").getByRole("link", { name: kind, exact: true }).click();
}

/** Removes the keys of the browser, and no cookie. */
export function removeKeys(page: Page): Promise<void> {
  return removeDatabase(page, "platform-accounts");
}

/** Removes the copies of vaults that the browser keeps: the next page reads all items again. */
export function removeCopies(page: Page): Promise<void> {
  return removeDatabase(page, "platform-vault-copies");
}

async function removeDatabase(page: Page, name: string): Promise<void> {
  await page.evaluate((database) => {
    const removing = indexedDB.deleteDatabase(database);
    return new Promise((resolve) => removing.addEventListener("success", resolve));
  }, name);
}

/** Returns the records of the copies of vaults that the browser keeps. */
export async function copiesIn(page: Page): Promise<readonly string[]> {
  return (await recordsIn(page)).filter((record) => record.startsWith("platform-vault-copies "));
}

/** Returns all records that this browser keeps of the person: the database, the key, and the value. */
export function recordsIn(page: Page): Promise<readonly string[]> {
  return page.evaluate(async () => {
    const resultOf = <Result>(request: IDBRequest<Result>) =>
      new Promise<Result>((resolve) => request.addEventListener("success", () => resolve(request.result)));
    const textOf = (value: unknown) =>
      JSON.stringify(value, (_, part) => (typeof part === "bigint" ? String(part) : part));
    const records: string[] = [];
    for (const { name = "" } of await indexedDB.databases()) {
      const database = await resultOf(indexedDB.open(name));
      for (const storeName of database.objectStoreNames) {
        const store = database.transaction(storeName).objectStore(storeName);
        const [keys, values] = await Promise.all([resultOf(store.getAllKeys()), resultOf(store.getAll())]);
        records.push(...keys.map((key, index) => `${name} ${key} ${textOf(values[index])}`));
      }
      database.close();
    }
    return records;
  });
}

/** Adds a field of a kind to the form of an item. */
export async function addField(page: Page, kind: string): Promise<void> {
  await page.getByRole("button", { name: "Add field" }).click();
  await page.locator("#add-field-menu").getByRole("button", { name: kind, exact: true }).click();
}

/** What can be done with the selected items. */
export function withSelected(page: Page, action: string): Locator {
  return page.getByRole("group", { name: "Selected items" }).getByRole("button", { name: action, exact: true });
}

/** Waits until an item is shown at a version: its menu says so. */
export async function waitForVersion(item: Locator, version: number): Promise<void> {
  await item.getByRole("button", { name: "More" }).click();
  await item.getByText(`Version ${version}`, { exact: true }).waitFor();
  await item.page().keyboard.press("Escape");
}

export async function fill(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value);
}

/** Lets the page store one item without learning that it is stored. */
export function loseResponseOfPut(page: Page): Promise<unknown> {
  const lose = async (route: Route) => {
    await route.fetch();
    await route.abort();
  };
  return page.route(/MemberVaultService\/PutItem/, lose, { times: 1 });
}

export function save(page: Page): Promise<void> {
  return page.getByRole("button", { name: "Save", exact: true }).click();
}

export function itemLink(page: Page, title: string): Locator {
  return page.getByRole("list", { name: "Items" }).getByRole("link", { name: title, exact: true });
}

/** The line of an item in the list that says what it is, or that it is not verified. */
export function itemLine(page: Page, title: string): Locator {
  return page.locator("li.item").filter({ hasText: title }).locator(".line");
}

export function openedItem(page: Page, title: string): Locator {
  return page.getByRole("article", { name: title });
}

/** What the page says while the server does not answer. */
export function offlineBanner(page: Page): Locator {
  return page.getByText(
    /^Offline: this is what was loaded at \d\d:\d\d. Trying again. Until then, you can only read.$/,
  );
}
