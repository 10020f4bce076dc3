import { element } from "./page.js";

/** Removes the worker with which the vault opens without a network, and the page that it has kept. Keys and copies of vaults stay. */
const workers = (await navigator.serviceWorker?.getRegistrations()) ?? [];
await Promise.all(workers.map((worker) => worker.unregister()));
for (const name of await caches.keys()) await caches.delete(name);
element("status", HTMLElement).textContent = "Done. The next page comes from the server.";
