import {
  createDeviceSession,
  type RenewableSession,
  type SessionOptions,
  type SessionStore,
} from "@platform-rpc/client/session";
import { createFileSessionStore } from "@platform-rpc/client/session-file";
import { type BrowserLoginOptions, createBrowserSession } from "@platform-rpc/client/session-loopback";
import { ProgramError } from "./program-error.js";

export interface OpenSessionOptions {
  /** The URL of the accounts origin. */
  readonly issuer: string;
  /** The URL of the API. */
  readonly resource: string;
  /** The OAuth client of the program. */
  readonly clientId: string;
  /** The file of the session. */
  readonly path: string;
}

/**
 * Creates the session of a program, in a file.
 *
 * @throws ProgramError if the issuer or the URL of the API is not valid. Methods of the session reject with one if the file cannot be read or written.
 */
export function openSession({ path, ...options }: OpenSessionOptions): RenewableSession {
  return createSession({ ...options, store: openSessionStore(path) });
}

/** Creates the store of a session in a file. It rejects with a ProgramError if the file cannot be read or written. */
export function openSessionStore(path: string): SessionStore {
  const file = createFileSessionStore(path);
  return {
    ...file,
    load: () => file.load().catch((error: unknown) => fail("The session cannot be read", error)),
    save: (session) =>
      file.save(session).catch((error: unknown) => fail(`The session cannot be saved in ${path}`, error)),
  };
}

/** Creates a session that logs in with a code. @throws ProgramError if the issuer or the URL of the API is not valid. */
export function createSession(options: SessionOptions): RenewableSession {
  return withUrls(options, createDeviceSession);
}

/** Creates a session that logs in with the browser of this machine. @throws ProgramError as `createSession` does. */
export function createLocalSession(options: SessionOptions): RenewableSession<BrowserLoginOptions> {
  return withUrls(options, createBrowserSession);
}

function withUrls<Session>(options: SessionOptions, create: (options: SessionOptions) => Session): Session {
  try {
    return create(options);
  } catch (error) {
    return fail(`A session of ${options.resource} at ${options.issuer} is not possible`, error);
  }
}

function fail(what: string, error: unknown): never {
  throw error instanceof Error ? new ProgramError(`${what}: ${error.message}`, "failed", { cause: error }) : error;
}
