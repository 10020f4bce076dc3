import {
  createDeviceSession,
  type DeviceSessionOptions,
  type RenewableSession,
  type SessionStore,
} from "@platform-rpc/client/session";
import { createFileSessionStore } from "@platform-rpc/client/session-file";
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

/** Creates a session. @throws ProgramError if the issuer or the URL of the API is not valid. */
export function createSession(options: DeviceSessionOptions): RenewableSession {
  try {
    return createDeviceSession(options);
  } catch (error) {
    return fail(`A session of ${options.resource} at ${options.issuer} is not possible`, error);
  }
}

function fail(what: string, error: unknown): never {
  throw error instanceof Error ? new ProgramError(`${what}: ${error.message}`, "failed", { cause: error }) : error;
}
