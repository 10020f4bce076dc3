import { tokenStands } from "../domain/access.js";
import type { Clock } from "../ports/clock.js";
import type { Storage } from "../ports/storage.js";
import type { Authenticated, Authenticator, TokenVerifier } from "../ports/tokens.js";

/** What verifies tokens, and how long that is remembered. */
export interface AuthenticatorOptions {
  readonly verifier: TokenVerifier;
  readonly storage: Pick<Storage, "readAccess">;
  readonly clock: Clock;
  /** How many tokens are remembered; beyond it the one longest out of use is forgotten. Default: 10 000. */
  readonly cacheSize?: number;
  /** Milliseconds after which a revocation, a policy or a principal has taken effect at the latest. Default: 1000. */
  readonly accessTtlMs?: number;
}

/** Far beyond any token of ours: what is longer is refused before anything is spent on it. */
const longestToken = 8192;

/** A JWT ends in its signature: this many last characters distinguish tokens, and hash faster than the whole token. */
const keyLength = 64;

interface Remembered {
  readonly token: string;
  readonly found: Authenticated;
  /** When the reading of the access state began: it holds all that was committed before. */
  readonly readAt: number;
}

interface Lookup {
  readonly token: string;
  readonly begunAt: number;
  readonly answer: Promise<Authenticated | undefined>;
}

/**
 * Authenticates tokens, and remembers those that it has verified.
 *
 * A token is looked up by its last characters and then compared whole, so that nothing is accepted for resembling what
 * was accepted before. Only what was verified is remembered: strangers can neither fill the cache nor push anything out of it. Tokens that
 * were refused are not remembered, because whoever sends them can send another each time.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { verifier, storage, clock, cacheSize = 10_000, accessTtlMs = 1000 } = options;
  /** In the order in which their access states were read: what is in use is read again every `accessTtlMs`. */
  const cache = new Map<string, Remembered>();
  const lookups = new Map<string, Lookup>();

  const fresh = (since: number, now: number) => now >= since && now - since < accessTtlMs;

  async function find(key: string, token: string): Promise<Authenticated | undefined> {
    // Verified again with every reading: a key that was taken away must not live on in what is remembered.
    const claims = await verifier.verify(token);
    if (claims === undefined) forget(key, token);
    return claims === undefined ? undefined : { claims, access: await storage.readAccess(claims) };
  }

  function forget(key: string, token: string): void {
    if (cache.get(key)?.token === token) cache.delete(key);
  }

  function remember(key: string, latest: Remembered): void {
    cache.delete(key);
    cache.set(key, latest);
    const [oldest] = cache.size > cacheSize ? cache.keys() : [];
    if (oldest !== undefined) cache.delete(oldest);
  }

  function lookUp(key: string, token: string, begunAt: number): Promise<Authenticated | undefined> {
    const answer = find(key, token)
      .then((found) => {
        // One that was overtaken knows less than what is remembered.
        if (found !== undefined && newest()) remember(key, { token, found, readAt: begunAt });
        return found === undefined ? undefined : standing(found, clock.now());
      })
      .finally(() => {
        if (newest()) lookups.delete(key);
      });
    const lookup: Lookup = { token, begunAt, answer };
    const newest = () => lookups.get(key) === lookup;
    lookups.set(key, lookup);
    return answer;
  }

  return {
    authenticate(token) {
      if (token.length > longestToken) return undefined;
      const now = clock.now();
      const key = token.slice(-keyLength);

      const remembered = cache.get(key);
      const known = remembered?.token === token ? remembered : undefined;
      if (known !== undefined && now >= known.found.claims.expiresAt) {
        cache.delete(key);
        return undefined;
      }
      if (known !== undefined && fresh(known.readAt, now)) return standing(known.found, now);

      // A lookup that has been under way for longer may not know of what happened since.
      const underway = lookups.get(key);
      if (underway?.token === token && fresh(underway.begunAt, now)) return underway.answer;
      return lookUp(key, token, now);
    },
  };
}

/** Whether the token, found good before, is still good at `now`. */
function standing(found: Authenticated, now: number): Authenticated | undefined {
  return now < found.claims.expiresAt && tokenStands(found.access) ? found : undefined;
}
