import type { JWTVerifyGetKey } from "jose";
import * as errors from "jose/errors";
import { createRemoteJWKSet } from "jose/jwks/remote";
import type { Clock } from "./clock.js";
import { notify } from "./notify.js";

export interface RemoteKeysOptions {
  readonly clock: Clock;
  /** How old the last fetched keys may be while they cannot be fetched again. */
  readonly maxKeyAgeSeconds: number;
  readonly onWarning: (message: string) => void;
}

/** The fetched keys are older than they may be, and newer ones cannot be fetched. */
export class KeysExpiredError extends Error {}

/** Fetched keys are used for this long, in milliseconds, before they are fetched again. */
const freshMs = 600_000;
/** After a fetch, stale keys or an unknown `kid` cause no other one for this long, in milliseconds. */
const cooldownMs = 30_000;

/**
 * Finds the keys at a URL by their `kid`. While they cannot be fetched, the last ones are used (RFC 5861 section 4), and one warning
 * is given until a fetch succeeds. A key that is missing in a fetched set is unknown from then on.
 */
export function createRemoteKeys(url: URL, { clock, maxKeyAgeSeconds, onWarning }: RemoteKeysOptions): JWTVerifyGetKey {
  // It fetches only when `reload` is called, because it would not find a key without a fetch once its keys are stale.
  const keys = createRemoteJWKSet(url, { cacheMaxAge: Infinity, cooldownDuration: Infinity });
  const usableMs = Math.max(freshMs, maxKeyAgeSeconds * 1000);
  let fetchedAt = -Infinity;
  let askedAt = -Infinity;
  /** Why the last fetch failed; undefined if it succeeded. */
  let failure: unknown;
  // The clock may have been set back: then the age is not known, and the keys are not fresh.
  const since = (time: number) => Math.abs(clock.now() - time);

  async function refresh(): Promise<void> {
    const mayWait = since(fetchedAt) < usableMs && since(askedAt) < cooldownMs;
    // A fetch in an outage may take 5 s until it fails: one request waits for it, and the others use the last keys.
    if (mayWait && (failure !== undefined || !keys.reloading)) return;
    askedAt = clock.now();
    try {
      await keys.reload();
      fetchedAt = clock.now();
      failure = undefined;
    } catch (cause) {
      const isFirst = failure === undefined;
      failure = cause;
      if (fetchedAt === -Infinity) throw cause;
      if (since(fetchedAt) >= usableMs) throw new KeysExpiredError("The issuer's keys are too old", { cause });
      if (!isFirst) return;
      const until = new Date(fetchedAt + usableMs).toISOString();
      const text = `The keys at ${url.origin}${url.pathname} cannot be fetched (${codeOf(cause)}). The last ones are used until ${until}, then every token is rejected. Check the platform and the network.`;
      notify(onWarning, text);
    }
  }

  return async (header, token) => {
    if (since(fetchedAt) >= freshMs) await refresh();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await refresh();
      // The key may be newer than the last fetch, so it is not known whether the token is invalid.
      if (failure !== undefined) throw failure;
      return keys(header, token);
    }
  };
}

/** Returns the code of an error of `fetch` or jose, such as `ECONNREFUSED`. Its message may contain the URL with a secret query. */
function codeOf(error: unknown): string {
  const { code, cause }: { readonly code?: unknown; readonly cause?: unknown } = Object(error);
  const { code: causeCode }: { readonly code?: unknown } = Object(cause);
  return [causeCode, code].find((one) => typeof one === "string") ?? "no response";
}
