/** For how long a copied secret is in the clipboard, in milliseconds. */
const keptMs = 30_000;
const storedAs = "platform: clear the clipboard at";

interface ClipboardOfPage {
  /** Whether the browser lets the page read without asking the person. */
  canRead(): Promise<boolean>;
  readText(): Promise<string>;
  /** Rejects without the focus, and in some browsers unless the person has just clicked or typed. */
  writeText(text: string): Promise<void>;
}

/**
 * Removes a copied secret from the clipboard, unless something else was copied since. If the browser does not allow that now, the next
 * attempt does it, also that of the page which this tab opens next: `storage` is that of the tab, and has the time, not the secret.
 */
export function createClipboardCleaner(
  clipboard: ClipboardOfPage,
  storage: Pick<Storage, "getItem" | "setItem" | "removeItem">,
) {
  let secret: string | undefined;
  const forget = () => {
    secret = undefined;
    storage.removeItem(storedAs);
  };
  const clearIfDue = async (): Promise<void> => {
    const due = storage.getItem(storedAs);
    if (due === null || Date.now() < Number(due)) return;
    const copied = secret;
    const canCompare = copied !== undefined && (await clipboard.canRead());
    const held = canCompare ? await clipboard.readText().catch(() => undefined) : undefined;
    const isReplaced = held !== undefined && held !== copied;
    const cleared =
      isReplaced ||
      (await clipboard.writeText("").then(
        () => true,
        () => false,
      ));
    // A secret that was copied meanwhile stays.
    if (cleared && storage.getItem(storedAs) === due) forget();
  };
  const clearAt = (due: number) => {
    storage.setItem(storedAs, String(due));
    setTimeout(() => void clearIfDue(), due - Date.now());
  };
  const found = storage.getItem(storedAs);
  if (found !== null) clearAt(Number(found));
  return {
    clearIfDue,
    /** The page has copied a secret. Undefined: what is in the clipboard now is not one. */
    copied(text: string | undefined) {
      forget();
      if (text === undefined) return;
      secret = text;
      clearAt(Date.now() + keptMs);
    },
    /** Removes the secret at once, because the page is left or locked. */
    async clear() {
      if (storage.getItem(storedAs) === null) return;
      storage.setItem(storedAs, "0");
      await clearIfDue();
    },
  };
}

const copiedEvent = "platform-copied";

/** Copies a secret. The script of the accounts origin that watches the clipboard removes it again. */
export async function copySecret(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  dispatchEvent(new CustomEvent(copiedEvent, { detail: text }));
}

/** Copies a text that may stay in the clipboard. */
export async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  dispatchEvent(new CustomEvent(copiedEvent));
}

/** Resolves with whether the browser lets a page clear the clipboard by itself: only then the page may promise it. */
export function clearsClipboard(): Promise<boolean> {
  return isGranted("clipboard-write");
}

declare global {
  interface Permissions {
    /** Rejects in a browser that does not know the name. */
    query(descriptor: { readonly name: "clipboard-read" | "clipboard-write" }): Promise<PermissionStatus>;
  }
}

async function isGranted(name: "clipboard-read" | "clipboard-write"): Promise<boolean> {
  try {
    return (await navigator.permissions.query({ name })).state === "granted";
  } catch {
    return false;
  }
}

/** Removes copied secrets while the page is open, and when the person signs out. Returns what removes one at once. */
export function watchClipboard(): () => Promise<void> {
  const { copied, clearIfDue, clear } = createClipboardCleaner(
    {
      canRead: () => isGranted("clipboard-read"),
      readText: () => navigator.clipboard.readText(),
      writeText: (text) => navigator.clipboard.writeText(text),
    },
    sessionStorage,
  );
  addEventListener(copiedEvent, (event) =>
    copied(event instanceof CustomEvent ? (event.detail ?? undefined) : undefined),
  );
  for (const event of ["copy", "cut"]) addEventListener(event, () => copied(undefined));
  for (const event of ["focus", "click", "keydown"])
    addEventListener(event, () => void clearIfDue(), { capture: true });
  onSignOut(() => void clear());
  return clear;
}

/** Calls `listener` when the person signs out on this page, with any of its forms for that. */
export function onSignOut(listener: (form: HTMLFormElement, event: SubmitEvent) => void): void {
  addEventListener("submit", (event) => {
    const { target } = event;
    if (target instanceof HTMLFormElement && new URL(target.action).pathname === "/sign-out") listener(target, event);
  });
}
