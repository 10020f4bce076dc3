import { hostname, platform } from "node:os";
import { dirname } from "node:path";
import { isPlatformError } from "@platform-rpc/client";
import {
  createDeviceSession,
  createMemorySessionStore,
  type DeviceLoginOptions,
  type RenewableSession,
  type SessionOptions,
  type SessionStore,
  type StoredSession,
} from "@platform-rpc/client/session";
import { type BrowserLoginOptions, createBrowserSession } from "@platform-rpc/client/session-loopback";
import { ProgramError } from "./errors.js";
import { prepareFolder } from "./private-files.js";
import { fail, openSessionStore } from "./session-store.js";

/** Set by the build of each program. */
declare const PROGRAM_VERSION: string | undefined;

/** The version of the program that contains this code. */
export const version: string = typeof PROGRAM_VERSION === "string" ? PROGRAM_VERSION : "0.0.0";

export interface OpenSessionOptions extends Pick<SessionOptions, "bounds" | "clock" | "dpop"> {
  /** The URL of the accounts origin. */
  readonly issuer: string;
  /** The URL of what the tokens are for: the API, unless something else is said. */
  readonly resource: string;
  readonly clientId: string;
  readonly path: string;
}

/**
 * Creates the session of a program, in a file.
 *
 * @throws ProgramError if the issuer or the URL of the API is not valid. Methods of the session reject with one if the file cannot be
 * read or written.
 */
export function openSession({ path, ...options }: OpenSessionOptions): RenewableSession {
  return createSession({ ...options, store: openSessionStore(path) });
}

/** Creates a session that logs in with a code. @throws ProgramError if the issuer or the URL of the API is not valid. */
export function createSession(options: SessionOptions): RenewableSession {
  return withUrls(options, createDeviceSession);
}

/** Creates a session that logs in with the browser of this machine. @throws ProgramError as `createSession` does. */
function createLocalSession(options: SessionOptions): RenewableSession<BrowserLoginOptions> {
  return withUrls(options, createBrowserSession);
}

let warned = false;

/** Warns once, because a program may create several sessions. Standard output is for results. */
const logger: SessionOptions["logger"] = {
  warn(text) {
    if (!warned) console.warn(text);
    warned = true;
  },
};

function withUrls<Session>(options: SessionOptions, create: (options: SessionOptions) => Session): Session {
  const { fetch = globalThis.fetch } = options;
  try {
    return create({ logger, ...options, fetch: (url, init) => fetch(url, withName(init, options)) });
  } catch (error) {
    return fail(`A session of ${options.resource} at ${options.issuer} is not possible`, error);
  }
}

/** The longest name of a device that the server shows, in characters. */
const longestName = 60;

/** Names this device in a request: a person who approves a login, or looks at their logins, then knows which one it is. */
function withName(init: RequestInit = {}, { clientId }: Pick<SessionOptions, "clientId">): RequestInit {
  const headers = new Headers(init.headers);
  headers.set("User-Agent", userAgentOf(clientId));
  return { ...init, headers };
}

/** Returns the User-Agent of a program, with the name of this device. */
export function userAgentOf(clientId: string): string {
  const name = hostname()
    .replaceAll(/[^A-Za-z0-9._-]/g, "-")
    .slice(0, longestName);
  return `${clientId}/${version} (${name}; ${platform()})`;
}

/** What a program asks a person for. */
export interface ProgramLoginOptions extends DeviceLoginOptions {
  /** The scopes that its next command needs, and no others. */
  readonly scopes: readonly string[];
  /**
   * Opens the page in the browser of this machine. Then the person is asked there, and with a code only if the server does not offer
   * that. Default: with a code.
   */
  readonly onBrowserPrompt?: BrowserLoginOptions["onPrompt"] | undefined;
}

/**
 * Logs in, and stores the session in the file. Resolves with a function that ends the session that was in the file before, if there was
 * one: the server still accepts it. The function rejects with a ProgramError if the session could not be ended.
 *
 * @throws ProgramError if the issuer is not valid, other users can use the file, or it cannot be written. Then the new session is
 * ended, too.
 */
export async function logIn(
  { path, ...options }: OpenSessionOptions,
  { scopes, onBrowserPrompt, ...login }: ProgramLoginOptions,
): Promise<() => Promise<void>> {
  const file = openSessionStore(path);
  let replaced: StoredSession | undefined;
  const store: SessionStore = {
    ...file,
    async save(session) {
      // Loaded now, because another process may have changed the file while the person approved. A damaged file is replaced.
      replaced = await file.load().catch(() => undefined);
      try {
        await file.save(session);
      } catch (error) {
        // Nobody has its tokens, but it would stay valid for 30 days.
        await end(session).catch(() => undefined);
        throw error;
      }
    },
  };
  const all = { ...options, store, scopes };
  const session = createSession(all);
  // Before the person is asked: an approval would be in vain. A damaged file is replaced. One that others can use is refused: they may
  // have its session, which ends only when it is read and replaced.
  await prepareFolder(dirname(path));
  await file.load().catch((error: Error) => {
    if (!(error.cause instanceof TypeError)) throw error;
  });
  const approved = onBrowserPrompt !== undefined && (await logInHere(all, onBrowserPrompt, login));
  if (!approved) await session.logIn(login);
  return async () => {
    if (replaced !== undefined) await end(replaced);
  };
}

/** Logs in with the browser of this machine. Resolves with false if that is not possible, before the person was asked. */
async function logInHere(
  options: SessionOptions,
  onPrompt: BrowserLoginOptions["onPrompt"],
  { signal }: DeviceLoginOptions,
): Promise<boolean> {
  try {
    await createLocalSession(options).logIn({ onPrompt, signal });
    return true;
  } catch (error) {
    if (isPlatformError(error) && error.code === "unimplemented") return false;
    throw error;
  }
}

async function end(session: StoredSession): Promise<void> {
  const { issuer, resource, clientId } = session;
  const store = createMemorySessionStore();
  await store.save(session);
  try {
    await createSession({ issuer, resource, clientId, store }).signOut();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const text = `Your previous session has not ended on the server. End it at ${issuer}/console/agents.`;
    throw new ProgramError(`${text}\n${error.message}`, "unreachable");
  }
}
