import { forgetUserKeys } from "./kept-keys.js";
import { onSessionMaybeEnded } from "./session-channel.js";

/**
 * Locks the page when the session of the browser ends: on every page that shows something of a person. A page that signs out reports it to
 * the others at once. A session that ends elsewhere is noticed within `everyMs`.
 */

/** How often the page asks, in milliseconds. Together with `longestMs`, less than the 5 s after which an ended session must be locked. */
const everyMs = 2_500;
/** How long it waits for the answer, in milliseconds. */
const longestMs = 2_000;

/** Whose page this is, as the first answer says. */
let shownTo: string | undefined;
let locked = false;
/** Whether the person has used the page since the last request. Only then the session is extended. */
let used = false;
let asking: Promise<void> | undefined;

/** Removes everything of the person from the page and the browser, and opens the sign-in page, which then comes back. */
function lock(): void {
  if (locked) return;
  locked = true;
  const { pathname, search } = location;
  const words = document.createElement("p");
  words.setAttribute("role", "alert");
  words.textContent = "You are signed out. This page is locked.";
  document.body.replaceChildren(words);
  document.title = "Signed out";
  const leave = () => location.replace(`/sign-in?${new URLSearchParams({ ended: "", next: pathname + search })}`);
  // The next page empties the memory. It is not in the history of the browser: going back must not show it.
  forgetUserKeys().then(leave, leave);
}

async function ask(): Promise<void> {
  const headers = new Headers();
  if (!used) headers.set("X-Person-Active", "no");
  used = false;
  const init = { headers, signal: AbortSignal.timeout(longestMs) };
  const response = await fetch("/account/api/session", init).catch(() => undefined);
  // A server that does not answer, or is busy, says nothing about the session: what is on the page stays readable.
  if (response === undefined) return;
  if (response.status === 401) return lock();
  if (!response.ok) return;
  const { principalId }: { readonly principalId?: string } = await response.json().catch(() => ({}));
  shownTo ??= principalId;
  // Somebody else has signed in, in another tab.
  if (principalId !== undefined && principalId !== shownTo) lock();
}

/** Asks whether the session has ended, unless a request is on its way. */
function check(): Promise<void> {
  asking ??= ask().finally(() => {
    asking = undefined;
  });
  return asking;
}

for (const use of ["pointerdown", "pointermove", "keydown", "wheel"]) {
  addEventListener(
    use,
    () => {
      used = true;
    },
    { capture: true, passive: true },
  );
}
for (const event of ["focus", "pageshow", "platform-session-check"]) addEventListener(event, () => void check());
// The console was told that the session has ended.
addEventListener("platform-session-ended", lock);
document.addEventListener("visibilitychange", () => void check());
onSessionMaybeEnded(() => {
  // An answer that is on its way may be older than the message.
  void check().then(check);
});

async function watch(): Promise<void> {
  await check();
  setTimeout(() => void watch(), everyMs);
}
void watch();
