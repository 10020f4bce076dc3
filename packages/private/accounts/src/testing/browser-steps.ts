import type { Page } from "playwright-core";

/** Creates an account, and returns its recovery code. */
export async function signUp(page: Page, origin: string, button = "Create a passkey"): Promise<string> {
  await page.goto(`${origin}/sign-up`);
  await page.getByLabel("Your name").fill("Ada");
  await page.getByRole("button", { name: button }).click();
  return storeRecoveryCode(page);
}

export async function shownRecoveryCode(page: Page): Promise<string> {
  await page.getByRole("heading", { name: "Your recovery code", exact: true }).waitFor();
  return (await page.locator("#shown-recovery-code").textContent()) ?? "";
}

/**
 * Reads the recovery code that the page shows, and confirms that it is stored.
 *
 * @param next the title of the page to which this leads. Default: the vault.
 */
export async function storeRecoveryCode(page: Page, next?: string): Promise<string> {
  const code = await shownRecoveryCode(page);
  await page.getByLabel("Last group of the code").fill(code.slice(-4).toLowerCase());
  await page.getByRole("button", { name: "Continue" }).click();
  await waitForNext(page, next);
  return code;
}

/** Signs out with the menu of the person, which every page of the vault has. */
export async function signOut(page: Page): Promise<void> {
  await page.locator("[popovertarget=person-menu]").click();
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.waitForURL("**/sign-in");
}

/** @param next the title of the page to which this leads. Default: the vault. */
export async function signInWithPasskey(page: Page, next?: string): Promise<void> {
  await page.getByRole("button", { name: "Continue with a passkey" }).click();
  await waitForNext(page, next);
}

/** Fills the field of the sign-in page for a recovery code, and unfolds it before. */
export async function fillRecoveryCode(page: Page, code: string): Promise<void> {
  const field = page.getByLabel("Recovery code", { exact: true });
  await field.waitFor({ state: "attached" });
  if (!(await field.isVisible())) await page.getByText("Use a recovery code instead").click();
  await field.fill(code);
}

/** Enters the code as a person types it, continues with the keyboard, and does not want another passkey. Leads to the vault. */
export async function signInWithCode(page: Page, code: string): Promise<void> {
  await fillRecoveryCode(page, code.toLowerCase().replaceAll("-", " "));
  // Until its script is ready, the form does nothing.
  await page.locator("#use-recovery-code button:enabled").waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Not now" }).click();
  await waitForNext(page, undefined);
}

/** Waits for the page that follows a sign-in. @param title undefined: the vault */
function waitForNext(page: Page, title: string | undefined): Promise<void> {
  return title === undefined ? page.waitForURL(/\/console(?:[/?#]|$)/) : waitForTitle(page, title);
}

/** Proves in a dialog of the vault who the person is: with the recovery code. */
export async function proveWithCode(page: Page, code: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Use your recovery code instead" }).click();
  await dialog.getByLabel("Recovery code").fill(code);
  await dialog.getByRole("button", { name: "Use the recovery code" }).click();
}

/** Enters a user code on the device page, and continues with the keyboard. */
export async function enterUserCode(page: Page, origin: string, code: string): Promise<void> {
  await page.goto(`${origin}/device`);
  await page.getByLabel("Code on the device").fill(code);
  const response = page.waitForResponse((answer) => answer.request().method() === "POST");
  await page.keyboard.press("Enter");
  await response;
}

/** Waits for the page with this heading, and for its style sheet and scripts: a heading is there before they are. */
export async function waitForTitle(page: Page, title: string): Promise<void> {
  await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
  await page.waitForLoadState();
}

/** Computes a hash with the title key that the page keeps: equal keys give equal hashes. Undefined if it keeps none. */
export function titleHashIn(page: Page): Promise<string | undefined> {
  return page.evaluate(async () => {
    const opening = indexedDB.open("platform-accounts", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("user-keys");
    await new Promise((resolve) => opening.addEventListener("success", resolve));
    const all = opening.result.transaction("user-keys").objectStore("user-keys").getAll();
    await new Promise((resolve) => all.addEventListener("success", resolve));
    opening.result.close();
    const [kept] = all.result;
    return kept && String(new Uint8Array(await crypto.subtle.sign("HMAC", kept.titleKey, new Uint8Array(1))));
  });
}
