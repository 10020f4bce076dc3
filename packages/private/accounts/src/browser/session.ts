import { isAnswer, isLockUnsent, lockSession } from "./api.js";
import { forgetUserKeys, keepsUserKeys } from "./kept-keys.js";
import { isUnused, keepsSession, markUsed } from "./lock-time.js";
import { onSignOut, watchClipboard } from "./output/clipboard.js";
import { onReport, report, withSession } from "./session-channel.js";
import { forgetVaultRecords } from "./vault-records.js";

/**
 * Empties the page when the session of the browser ends, or when the browser is locked: on every page that shows something of a person. A
 * page that signs out, or is locked, reports it to the others at once. A session that ends elsewhere is noticed within `everyMs`.
 */

/** How often the page asks, in milliseconds. Together with `longestMs`, less than the 5 s after which an ended session must be locked. */
const everyMs = 2_500;
/** How long it waits for the answer, in milliseconds. */
const longestMs = 2_000;

/** Whose page this is, as the first answer says. A page that the worker has kept says it itself. */
let shownTo: string | undefined;
let leaving = false;
/** Whether the person signs out on this page. The answer to that opens the next page, and must not be stopped: it empties the browser. */
let signingOut = false;
/** Whether the browser had keys while this page was open. */
let hadKeys = false;
/** Whether the person has used the page since the last request. Only then the session is extended. */
let used = false;
let asking: Promise<void> | undefined;
/** Settles when the request is over with which the page deletes the account of the person. */
let deletion: Promise<unknown> = Promise.resolve();

const clearClipboard = watchClipboard();
onSignOut((form, event) => {
  event.preventDefault();
  if (!signingOut) void signOutHere(form);
});

/** Takes everything off the page, and keeps it together: an open dialog still looks for the focus between its first and its last part. */
function emptyBody(): void {
  document.createElement("div").append(...document.body.childNodes);
}

/** Removes everything of the person from the page, and from the browser with `ending`. Then it opens another page, or that of `ending`. */
function leave(says: string, next: string, ending: () => Promise<string | undefined>): void {
  if (leaving) return;
  leaving = true;
  const words = document.createElement("p");
  words.setAttribute("role", "alert");
  words.textContent = says;
  emptyBody();
  document.body.append(words);
  document.title = says;
  void clearClipboard();
  const open = (other = next) => signingOut || location.replace(other);
  // The next page empties the memory. It is not in the history of the browser: going back must not show it.
  ending().then(open, () => open());
}

/** The keys go, and the copies of the vaults, which are encrypted. */
async function forgetPerson(): Promise<undefined> {
  await Promise.allSettled([forgetUserKeys(), forgetVaultRecords()]);
}

/** Returns the sign-in page, which then comes back to this page. */
function signInAndReturn(query: Readonly<Record<string, string>>): string {
  return `/sign-in?${new URLSearchParams({ ...query, next: location.pathname + location.search })}`;
}

/** The session has ended. */
function signOut(): void {
  leave("You are signed out. This page is locked.", signInAndReturn({ ended: "" }), forgetPerson);
}

/** The person signs out. Without the server, the session ends as soon as it is reached: what the browser has is gone in any case. */
async function signOutHere(form: HTMLFormElement): Promise<void> {
  signingOut = true;
  await forgetPerson();
  if (await isReached()) return form.submit();
  signingOut = false;
  void lockSession("sign-out");
  report("lock");
  leave("You are signed out in this browser. The server does not answer.", "/console", async () => {
    await forgetPerson();
    // Without a kept page, these words stay.
    return (await isKept()) ? undefined : new Promise(() => {});
  });
}

/** If the page deletes the account, the session ends with it: then this page says that the account is deleted. */
async function sessionEnded(): Promise<void> {
  await deletion;
  signOut();
}

function isReached(): Promise<boolean> {
  const asking = fetch("/account/api/session", {
    headers: { "X-Person-Active": "no" },
    signal: AbortSignal.timeout(longestMs),
  });
  return asking.then(isAnswer, () => false);
}

/** Resolves with whether the browser opens the address of this page without the server: also if it was loaded before it had a worker. */
async function isKept(): Promise<boolean> {
  const worker = await navigator.serviceWorker?.getRegistration().catch(() => undefined);
  return worker?.active != null;
}

/** The keys leave the browser, and the person stays signed in. @param reaching resolves with whether the server answers */
function lock(reaching = isReached): void {
  // This page unlocks the browser.
  if (location.pathname === "/sign-in") return;
  leave("Locked", signInAndReturn({ again: "", locked: "" }), async () => {
    const [reached] = await Promise.all([reaching(), forgetUserKeys()]);
    // The page that the worker has kept unlocks the browser without the server. If the server has sent a locked page, it would send it again.
    return reached || !hadKeys || !(await isKept()) ? undefined : location.pathname + location.search;
  });
}

/** Locks all pages, and the session. */
function lockBrowser(): void {
  report("lock");
  lock(() => lockSession());
}

/** Locks all pages if nobody has used one for as long as the person wants, and this one if it has missed that another page did. */
async function lockIfDue(): Promise<void> {
  // Before anything else can mark the pages as used.
  const unused = isUnused(localStorage, Date.now());
  const unlocked = await keepsUserKeys().catch(() => true);
  hadKeys ||= unlocked;
  if (unlocked && unused) return void dispatchEvent(new Event("platform-lock"));
  if (hadKeys && !unlocked) {
    // If the session has ended, the page says so.
    await check();
    lock();
  }
}

interface Answer {
  readonly principalId?: string;
  readonly locked?: boolean;
}

async function ask(): Promise<void> {
  const headers = new Headers();
  if (!used && !keepsSession(localStorage)) headers.set("X-Person-Active", "no");
  used = false;
  // The browser was locked, or the person has signed out, without a network.
  if (!(await withSession(async () => !isLockUnsent() || lockSession()))) return;
  const response = await withSession(() =>
    fetch("/account/api/session", { headers, signal: AbortSignal.timeout(longestMs) }),
  ).catch(() => undefined);
  // A server that does not answer, or is busy, says nothing about the session: what is on the page stays readable.
  if (response === undefined || !isAnswer(response)) return;
  if (response.status === 401) return sessionEnded();
  if (!response.ok) return;
  const { principalId, locked }: Answer = await response.json().catch(() => ({}));
  if (locked) lock();
  shownTo = document.documentElement.getAttribute("data-kept") || (shownTo ?? principalId);
  // Somebody else has signed in, in another tab.
  if (principalId !== undefined && principalId !== shownTo) signOut();
}

/** Asks whether the session has ended, unless a request is on its way. */
function check(): Promise<void> {
  asking ??= ask().finally(() => {
    asking = undefined;
  });
  return asking;
}

/** Asks although a request is on its way: its answer may be older than what the page has just learned. */
function checkAgain(): void {
  void check().then(check);
}

for (const use of ["pointerdown", "pointermove", "keydown", "wheel"]) {
  addEventListener(
    use,
    () => {
      used = true;
      markUsed(localStorage, Date.now());
    },
    { capture: true, passive: true },
  );
}
/** A page that comes back may have been hidden, or asleep, for longer than its timer knows. */
function comeBack(): void {
  void lockIfDue();
  void check();
}
for (const event of ["focus", "pageshow"]) addEventListener(event, comeBack);
addEventListener("platform-session-check", () => void check());
// A call was refused: the session has ended, or is locked.
addEventListener("platform-session-ended", checkAgain);
// The page deletes the account. The event has a promise of that.
addEventListener("platform-account-deletion", (event) => {
  if (!(event instanceof CustomEvent)) return;
  const deleted: Promise<void> = event.detail;
  deletion = deleted.then(
    () => {
      report("check");
      leave("Your account is deleted.", "/account/deleted", forgetPerson);
    },
    () => {},
  );
});
addEventListener("platform-lock", lockBrowser);
document.addEventListener("visibilitychange", comeBack);
onReport({
  check: checkAgain,
  lock: () => lock(),
});

async function watch(): Promise<void> {
  await lockIfDue();
  await check();
  setTimeout(() => void watch(), everyMs);
}
// Opening a page is a use of it, unless it was left open: then it is locked before anything is decrypted.
void lockIfDue().then(() => {
  if (leaving) return undefined;
  markUsed(localStorage, Date.now());
  return watch();
});
