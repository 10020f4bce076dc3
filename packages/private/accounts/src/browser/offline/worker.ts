import { answerOf, type Shell } from "./answer-of.js";

/** The server writes it before this script: see `console/offline-shell.ts`. */
declare const shell: Shell;

interface ExtendableEvent {
  waitUntil(work: Promise<unknown>): void;
}

interface FetchEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

/** What it uses of its global, which TypeScript's library of pages does not have. */
declare const self: {
  addEventListener(type: "install" | "activate", listener: (event: ExtendableEvent) => void): void;
  addEventListener(type: "fetch", listener: (event: FetchEvent) => void): void;
};

/** How long a page is waited for before the kept one is shown, in milliseconds. */
const longestMs = 3_000;

const prefix = "platform-vault ";
const opening = () => caches.open(prefix + shell.id);

/**
 * Keeps all files of the build, or fails: a part of one build never meets a part of another. The worker of a newer build waits until no tab uses
 * this one, whose files open tabs still load.
 */
async function install(): Promise<void> {
  const cache = await opening();
  // One after the other, because the person uses the page.
  for (const [path, integrity] of Object.entries(shell.files)) {
    if ((await cache.match(path)) === undefined)
      await cache.put(path, await fetch(path, { integrity, priority: "low" }));
  }
}

async function removeOthers(): Promise<void> {
  const others = (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== prefix + shell.id);
  await Promise.all(others.map((name) => caches.delete(name)));
}

async function kept(path: string | Request): Promise<Response | undefined> {
  return (await opening()).match(path, { ignoreVary: true });
}

/**
 * The page as the server has it, so that a new one is there at the next load. The kept one if there is no network, or a slow one, or a proxy
 * that does not reach the server.
 */
async function page(request: Request): Promise<Response> {
  const known = await kept(shell.page);
  if (known === undefined) return fetch(request);
  const late = new Promise<Response>((resolve) => setTimeout(resolve, longestMs, known.clone()));
  const served = fetch(request).then(
    (response) => (response.status < 500 ? response : known),
    () => known,
  );
  return Promise.race([served, late]);
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(removeOthers()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const answer = answerOf(request, shell, location.origin);
  if (answer === "page") event.respondWith(page(request));
  if (answer === "file") event.respondWith(kept(request).then((file) => file ?? fetch(request)));
});
