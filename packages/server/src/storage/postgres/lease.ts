import { randomUUID } from "node:crypto";
import type { Lease } from "../../ports/lease.js";
import type { CallFunction } from "./database/database.js";

const lifeMs = 10_000;
/** For this long, in milliseconds, a process relies on a lease without asking the database. */
const renewAfterMs = 3_000;

/** Creates a lease that one of the processes of a database can have. */
export function createPostgresLease(call: CallFunction, name: string): Lease {
  const holder = randomUUID();
  let renewAt = Number.NEGATIVE_INFINITY;
  return {
    async hold() {
      const askedAt = performance.now();
      if (askedAt < renewAt) return true;
      const held = await call<boolean | null>("SELECT platform_hold_lease($1, $2, $3)", name, holder, lifeMs);
      renewAt = held === true ? askedAt + renewAfterMs : Number.NEGATIVE_INFINITY;
      return held === true;
    },
    async release() {
      renewAt = Number.NEGATIVE_INFINITY;
      await call("SELECT platform_release_lease($1, $2)", name, holder);
    },
  };
}
