import { type AccessRef, type AccessState, isTokenValid, type TokenClaims } from "../domain/model/access.js";
import type { Clock } from "../ports/clock.js";
import type { Authenticated, Authenticator, TokenLookup, TokenVerifier } from "../ports/tokens.js";

export interface AuthenticatorOptions {
  readonly verifier: TokenVerifier;
  /** Reads the current state of the subjects of a token, with everything committed before the call. */
  readonly readAccess: (ref: AccessRef) => Promise<AccessState>;
  readonly clock: Clock;
  /** The number of cached tokens. Beyond it, the token whose state was read least recently is dropped. Default: 10 000. */
  readonly cacheSize?: number;
  /** The longest time until a changed revocation, policy or principal takes effect, in milliseconds. Default: 1000. */
  readonly accessTtlMs?: number;
  /**
   * Called with the claims of each token that is accepted and was not cached. Not called for a token that was in use before, unless
   * others have displaced it in the cache. It must not throw.
   */
  readonly onFirstUse?: ((claims: TokenClaims) => void) | undefined;
  /** Called for each token that is looked up, for metrics. */
  readonly onLookup?: ((lookup: TokenLookup) => void) | undefined;
}

/** The maximum length of a token, far above that of this platform's tokens. Longer ones are rejected before any work. */
const longestToken = 8192;

/** The syntax of a token (RFC 6750 section 2.1). Checked after the cache, because it takes three times as long as a lookup. */
const wellFormed = /^[A-Za-z0-9._~+/-]+=*$/;

/** The cache key is this many last characters of a token. They are from the signature, and hash faster than the whole token. */
const keyLength = 64;

interface CacheEntry {
  readonly token: string;
  readonly found: Authenticated;
  /** When the read of the access state began. It contains everything committed before. */
  readonly readAt: number;
}

interface Lookup {
  readonly token: string;
  readonly begunAt: number;
  readonly answer: Promise<Authenticated | undefined>;
}

/**
 * Creates an authenticator that caches verified tokens.
 *
 * A token is looked up by its last characters and then compared in full, so a similar token is never accepted. Only
 * verified tokens are cached, so callers without a valid token can neither fill the cache nor evict entries. Rejected
 * tokens are not cached, because an attacker can send another one each time.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { verifier, readAccess, clock, cacheSize = 10_000, accessTtlMs = 1000, onFirstUse, onLookup } = options;
  /** In the order in which their access states were read. Tokens in use are read again after half of `accessTtlMs`. */
  const cache = new Map<string, CacheEntry>();
  const lookups = new Map<string, Lookup>();

  const fresh = (since: number, now: number) => now >= since && now - since < accessTtlMs;

  async function find(token: string): Promise<Authenticated | undefined> {
    // Verifies again with every read, because the key may have been removed since.
    const claims = await verifier.verify(token);
    return claims === undefined ? undefined : { claims, access: await readAccess(claims) };
  }

  function store(key: string, latest: CacheEntry): void {
    cache.delete(key);
    cache.set(key, latest);
    const [oldest] = cache.size > cacheSize ? cache.keys() : [];
    if (oldest !== undefined) cache.delete(oldest);
  }

  function lookUp(key: string, token: string, begunAt: number): Promise<Authenticated | undefined> {
    const answer = find(token)
      .then((found) => {
        const now = clock.now();
        const valid = found && ifValid(found, now);
        const known = cache.get(key);
        const inUse = known?.token === token && ifValid(known.found, now) !== undefined;
        if (valid !== undefined && !inUse) onFirstUse?.(valid.claims);
        // Only the newest lookup changes the cache: an older one may have older data.
        if (newest()) {
          if (found !== undefined) store(key, { token, found, readAt: begunAt });
          else if (cache.get(key)?.token === token) cache.delete(key);
        }
        return valid;
      })
      .finally(() => {
        if (newest()) lookups.delete(key);
      });
    const lookup: Lookup = { token, begunAt, answer };
    const newest = () => lookups.get(key) === lookup;
    lookups.set(key, lookup);
    return answer;
  }

  /** Reads a cached token again before its entry expires, so that calls do not wait for a slow disk. Ignores errors. */
  function readAhead(key: string, { token, readAt }: CacheEntry, now: number): void {
    if (now - readAt >= accessTtlMs / 2 && !lookups.has(key)) lookUp(key, token, now).catch(() => {});
  }

  return {
    authenticate(token) {
      if (token.length > longestToken) return undefined;
      const now = clock.now();
      const key = token.slice(-keyLength);

      const entry = cache.get(key);
      if (entry?.token === token && fresh(entry.readAt, now)) {
        readAhead(key, entry, now);
        onLookup?.("hit");
        return ifValid(entry.found, now);
      }

      if (!wellFormed.test(token)) return undefined;
      // An older lookup may have missed changes since it began.
      const underway = lookups.get(key);
      if (underway?.token === token && fresh(underway.begunAt, now)) {
        onLookup?.("joined");
        return underway.answer;
      }
      onLookup?.("miss");
      return lookUp(key, token, now);
    },
  };
}

function ifValid(found: Authenticated, now: number): Authenticated | undefined {
  return now < found.claims.expiresAt && isTokenValid(found.access, now) ? found : undefined;
}
