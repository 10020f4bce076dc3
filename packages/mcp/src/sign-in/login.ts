import type { DeviceLoginPrompt } from "@platform-rpc/client/session";
import type { ProgramLoginOptions } from "@platform-rpc/signed-in";

/** A login that a person has still to approve. */
export interface PendingLogin {
  readonly prompt: DeviceLoginPrompt;
  /** Resolves when the person has approved; rejects when the login has ended without approval. */
  readonly approved: Promise<void>;
  cancel(): void;
}

/** Asks a person to approve this program. All calls of tools share one login. */
export interface Login {
  pending(): Promise<PendingLogin> | undefined;
  /** Returns the pending login, or starts one that asks for these scopes. */
  start(scopes: readonly string[]): Promise<PendingLogin>;
}

/** Creates the login of a session. `logIn` resolves when the session is stored. */
export function createLogin(logIn: (options: ProgramLoginOptions) => Promise<void>): Login {
  let pending: Promise<PendingLogin> | undefined;

  const begin = (scopes: readonly string[]): Promise<PendingLogin> => {
    const ended = new AbortController();
    return new Promise((resolve, reject) => {
      const run = async () => {
        try {
          const onPrompt = (prompt: DeviceLoginPrompt) => resolve({ prompt, approved, cancel: () => ended.abort() });
          await logIn({ scopes, signal: ended.signal, onPrompt });
        } finally {
          pending = undefined;
        }
      };
      const approved = Promise.resolve().then(run);
      // It may end while no call waits for it.
      approved.catch(reject);
    });
  };

  return {
    pending: () => pending,
    start(scopes) {
      pending ??= begin(scopes);
      return pending;
    },
  };
}
