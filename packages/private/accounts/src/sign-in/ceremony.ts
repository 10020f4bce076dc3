import { hash, randomBytes } from "node:crypto";
import type { Call } from "@platform-rpc/server";
import { defineCollection } from "@platform-rpc/server/host";
import type { Context } from "hono";
import * as z from "zod";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { recovery } from "../people/account.js";
import { readSecret, setSecret } from "../sessions/session-cookie.js";

const minute = 60_000;
/** How long a ceremony is valid, in milliseconds. Storing a recovery code takes longer than using a device: the person may print it. */
const lifeMs = {
  "sign up": 60 * minute,
  "sign in": 5 * minute,
  "add passkey": 5 * minute,
  "recovery code": 60 * minute,
} as const;

const ceremony = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("sign up"), challenge: z.string(), accountId: z.string(), displayName: z.string() }),
  /** With an account: the person of the session signs in again. */
  z.object({ kind: z.literal("sign in"), challenge: z.string(), accountId: z.string().optional() }),
  z.object({ kind: z.literal("add passkey"), challenge: z.string(), accountId: z.string() }),
  /** A code that the person is storing now. It signs in nobody until they confirm that they have stored it. */
  z.object({ kind: z.literal("recovery code"), accountId: z.string(), recovery }),
]);

/** What a browser has begun, with the challenge of the server. */
export type Ceremony = z.infer<typeof ceremony>;
type CeremonyOf<Kind extends Ceremony["kind"]> = Extract<Ceremony, { kind: Kind }>;

const stored = z.object({ tokenHash: z.string(), tenantId: z.string(), expiresAt: z.number(), ceremony });

const ceremonies = defineCollection<z.infer<typeof stored>>("ceremony", {
  schema: stored.parse,
  keyOf: ({ tenantId, tokenHash: key }) => ({ tenantId, key }),
  expiresAt: ({ expiresAt }) => expiresAt,
});

/** The ceremonies of browsers. Each is bound to the browser by a cookie, valid for a limited time, and accepted once. */
export type Ceremonies = ReturnType<typeof createCeremonies>;

/** Returns a challenge of 256 random bits. */
export function newChallenge(): Buffer {
  return randomBytes(32);
}

export function createCeremonies({ own, clock, tenantId }: Pick<AccountsParts, "own" | "clock" | "tenantId">) {
  return {
    async begin(context: Context<AccountsEnvironment>, ceremony: Ceremony, call: Call) {
      const token = randomBytes(32).toString("base64url");
      const now = clock.now();
      const begun = { tokenHash: hashOf(token), tenantId, expiresAt: now + lifeMs[ceremony.kind], ceremony };
      await own.putRecord(ceremonies.create(begun, now), call);
      setSecret(context, "ceremony", token);
    },

    /**
     * Finds the ceremony of the browser's cookie, and the write that takes it in one step with what follows. Undefined if it has expired,
     * was taken already, or is of another kind.
     */
    async find<Kind extends Ceremony["kind"]>(context: Context<AccountsEnvironment>, kind: Kind, call: Call) {
      const token = readSecret(context, "ceremony");
      if (token === undefined) return undefined;
      const found = ceremonies.open(await own.getRecord(ceremonies.key(tenantId, hashOf(token)), call));
      if (found === undefined) return undefined;
      const { ceremony } = found.value;
      return isOf(ceremony, kind) ? { ceremony, taking: found.remove() } : undefined;
    },
  };
}

function isOf<Kind extends Ceremony["kind"]>(found: Ceremony, kind: Kind): found is CeremonyOf<Kind> {
  return found.kind === kind;
}

function hashOf(token: string): string {
  return hash("sha256", token, "base64url");
}
