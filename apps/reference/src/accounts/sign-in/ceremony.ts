import { hash, randomBytes } from "node:crypto";
import type { Call, RecordPut } from "@platform-rpc/server";
import type { Context } from "hono";
import * as z from "zod";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { recovery } from "../people/account.js";
import { readSecret, removeSecret, setSecret } from "../sessions/session-cookie.js";

const collection = "ceremony";

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
export type CeremonyOf<Kind extends Ceremony["kind"]> = Extract<Ceremony, { kind: Kind }>;

/** A ceremony that was found, and the write that takes it. */
export interface FoundCeremony<Kind extends Ceremony["kind"]> {
  readonly ceremony: CeremonyOf<Kind>;
  readonly taking: RecordPut;
}

/** The ceremonies of browsers. Each is bound to the browser by a cookie, valid for a limited time, and accepted once. */
export interface Ceremonies {
  begin(context: Context<AccountsEnvironment>, ceremony: Ceremony, call: Call): Promise<void>;
  /** Finds the ceremony of the browser's cookie, for a caller that takes it in one step with what follows. Undefined as in `take`. */
  find<Kind extends Ceremony["kind"]>(
    context: Context<AccountsEnvironment>,
    kind: Kind,
    call: Call,
  ): Promise<FoundCeremony<Kind> | undefined>;
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
  const find: Ceremonies["find"] = async (context, kind, call) => {
    const token = readSecret(context, "ceremony");
    if (token === undefined) return undefined;
    const record = await own.getRecord({ tenantId, collection, key: keyOf(token) }, call);
    if (record === undefined) return undefined;
    const found = ceremony.parse(JSON.parse(record.value));
    const taken = { ...record, value: "{}", expiresAt: 0 };
    return isOf(found, kind)
      ? { ceremony: found, taking: { record: taken, expectedRevision: record.revision } }
      : undefined;
  };

  return {
    find,

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
        expiresAt: createdAt + lifeMs[begun.kind],
      };
      await own.putRecord({ record, expectedRevision: 0 }, call);
      setSecret(context, "ceremony", token);
    },

    async take(context, kind, call) {
      const found = await find(context, kind, call);
      removeSecret(context, "ceremony");
      // Of any number of concurrent requests, one takes it.
      return found !== undefined && (await own.putRecord(found.taking, call)).ok ? found.ceremony : undefined;
    },
  };
}

function isOf<Kind extends Ceremony["kind"]>(found: Ceremony, kind: Kind): found is CeremonyOf<Kind> {
  return found.kind === kind;
}

function keyOf(token: string): string {
  return hash("sha256", token, "base64url");
}
