import { unlockingChanged } from "@platform-rpc/accounts/browser/api";
import { trustedScript } from "../elements/worker-calls.js";
import { callAccount } from "../session/call-account.js";
import type { WrappedKeys } from "../session/kept-person.js";
import type { ConsoleSession } from "../session/session.js";
import type { KeptCopies } from "./kept-copies.js";

const script = trustedScript("vault-offline", "/console/assets/offline-worker.js");

let preparing: Promise<void> | undefined;

/**
 * Keeps what the vault needs to open without a network: the page, and what unlocks the browser. Once for each page load, and what unlocks the
 * browser again when the person changes it here.
 */
export function prepareOffline(session: ConsoleSession, copies: KeptCopies | undefined): Promise<void> {
  preparing ??= prepare(session, copies);
  return preparing;
}

async function prepare({ keys: _, ...person }: ConsoleSession, copies: KeptCopies | undefined): Promise<void> {
  // A browser without workers, or one whose person allows none.
  if (!("serviceWorker" in navigator) || copies === undefined) return;
  const keep = () =>
    copies.keepPerson(async () => ({ person, wrapped: await callAccount<WrappedKeys>("wrapped-keys") }));
  // What fails is tried again by the next page.
  addEventListener(unlockingChanged, () => void keep().catch(() => undefined));
  await keep();
  await navigator.serviceWorker.register(script, { scope: "/console", updateViaCache: "none" });
}
