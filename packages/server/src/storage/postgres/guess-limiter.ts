import type { GuessLimiter } from "../../ports/rate-limiter.js";
import type { CallFunction } from "./database/database.js";
import { hashKey } from "./rate-limiter.js";

/** Creates a limiter that counts misses exactly, with one statement for each guess. All processes of a database share it. */
export function createPostgresGuessLimiter(call: CallFunction, windowMs = 600_000): GuessLimiter {
  return {
    async guess(limits) {
      const hashed = limits.map(({ key, most }) => ({ key: hashKey(key), most }));
      const sorted = hashed.sort((a, b) => (a.key < b.key ? -1 : 1));
      return call<boolean>("SELECT platform_guess($1, $2)", JSON.stringify(sorted), windowMs);
    },
    async pardon(keys) {
      await call("SELECT platform_pardon($1)", JSON.stringify(keys.map(hashKey).sort()));
    },
  };
}
