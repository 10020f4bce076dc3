import { element } from "./page.js";

/** Removes the worker with which the vault opens without a network, and the page that it has kept. Keys and copies of vaults stay. */
async function reset(): Promise<void> {
  const workers = (await navigator.serviceWorker?.getRegistrations()) ?? [];
  await Promise.all(workers.map((worker) => worker.unregister()));
  if (!("caches" in globalThis)) return;
  for (const name of await caches.keys()) await caches.delete(name);
}

element("status", HTMLElement).textContent = await reset().then(
  () => "Done. The next page comes from the server.",
  () =>
    "The browser does not allow this page to remove it. Remove the data of this site in the settings of the browser.",
);
