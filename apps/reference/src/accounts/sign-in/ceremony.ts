import { hash, randomBytes } from "node:crypto";
import type { Call } from "@platform-rpc/server";
import type { Context } from "hono";
import * as z from "zod";
import type { AccountsEnvironment } from "../accounts-environment.js";
import type { AccountsParts } from "../accounts-parts.js";
import { readSecret, removeSecret, setSecret } from "../sessions/session-cookie.js";

const collection = "ceremony";

/** How long a challenge is valid, in milliseconds. */
const lifeMs = 5 * 60_000;

const ceremony = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("sign up"), challenge: z.string(), accountId: z.string(), displayName: z.string() }),
  /** With an account: the person of the session signs in again. */
  z.object({ kind: z.literal("sign in"), challenge: z.string(), accountId: z.string().optional() }),
  z.object({ kind: z.literal("add passkey"), challenge: z.string(), accountId: z.string() }),
]);

/** A challenge of the server, and what it was for. */
export type Ceremony = z.infer<typeof ceremony>;
export type CeremonyOf<Kind extends Ceremony["kind"]> = Extract<Ceremony, { kind: Kind }>;

/** The challenges of the server. Each is bound to the browser by a cookie, valid for 5 minutes, and accepted once. */
export interface Ceremonies {
  begin(context: Context<AccountsEnvironment>, ceremony: Ceremony, call: Call): Promise<void>;
  /** Takes the ceremony of the browser's cookie. Undefined if it has expired, was taken already, or is of another kind. */
  take<Kind extends Ceremony["kind"]>(
    context: Context<AccountsEnvironment>,
    kind: Kind,
    call: Call,
  ): Promise<CeremonyOf<Kind> | undefined>;
}

/** Returns a challenge of 256 random bits. */
export function newChallenge(): Buffer {
  return randomBytes(32);
}

export function createCeremonies({
  own,
  clock,
  tenantId,
}: Pick<AccountsParts, "own" | "clock" | "tenantId">): Ceremonies {
  return {
    async begin(context, begun, call) {
      const token = randomBytes(32).toString("base64url");
      const createdAt = clock.now();
      const record = {
        collection,
        key: keyOf(token),
        tenantId,
        principalId: "",
        oauthClientId: "",
        value: JSON.stringify(begun),
        createdAt,
        expiresAt: createdAt + lifeMs,
      };
      await own.putRecord({ record, expectedRevision: 0 }, call);
      setSecret(context, "ceremony", token);
    },

    async take(context, kind, call) {
      const token = readSecret(context, "ceremony");
      if (token === undefined) return undefined;
      removeSecret(context, "ceremony");
      const record = await own.getRecord({ collection, key: keyOf(token) }, call);
      if (record?.tenantId !== tenantId) return undefined;
      const taken = { ...record, value: "{}", expiresAt: clock.now() };
      // Of any number of concurrent requests, one takes it.
      if (!(await own.putRecord({ record: taken, expectedRevision: record.revision }, call)).ok) return undefined;
      const found = ceremony.parse(JSON.parse(record.value));
      return isOf(found, kind) ? found : undefined;
    },
  };
}

function isOf<Kind extends Ceremony["kind"]>(found: Ceremony, kind: Kind): found is CeremonyOf<Kind> {
  return found.kind === kind;
}

function keyOf(token: string): string {
  return hash("sha256", token, "base64url");
}
