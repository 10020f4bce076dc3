import { isUnlocked, keptUserKeys } from "@platform-rpc/accounts/browser/kept-keys";
import type { AccessToken } from "@platform-rpc/client";
import { keptPerson } from "./kept-person.js";
import { type ConsoleSession, describeSession, fetchToken, lockNow } from "./session.js";

/** What is opened. Without a network, it is only what the browser has kept. */
export interface OpenedSession {
  readonly session: ConsoleSession;
  /** The first token, which is on its way. */
  readonly token?: Promise<AccessToken>;
  /** Resolves with the session as the server has it. Undefined: that is the one that was opened. */
  readonly current?: Promise<ConsoleSession>;
}

/**
 * Opens the session of the browser: at once if the browser has kept who the person is. Without a session, the sign-in page opens. In a locked
 * browser, it makes no call and opens the page that unlocks it. Never resolves in these cases.
 */
export async function openSession(): Promise<OpenedSession> {
  if (!(await isUnlocked())) return locked();
  const token = fetchToken();
  // The first call reports a failure.
  token.catch(() => undefined);
  const current = describeSession().then(async (described) => (await withKeys(described)) ?? locked());
  // Without storage, the server is waited for.
  const person = (await keptPerson().catch(() => undefined))?.person;
  const session = person && (await withKeys(person));
  return session === undefined ? { session: await current, token } : { session, token, current };
}

/** Returns the session with the person's keys. Undefined if the browser does not have them. */
export async function withKeys(person: Omit<ConsoleSession, "keys">): Promise<ConsoleSession | undefined> {
  const keys = await keptUserKeys(person.principalId);
  return keys && { ...person, keys };
}

function locked(): Promise<never> {
  lockNow();
  return new Promise(() => {});
}
