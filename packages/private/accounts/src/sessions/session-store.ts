import { hash, randomBytes } from "node:crypto";
import { type Call, StorageError } from "@platform-rpc/server";
import type { FoundRecord } from "@platform-rpc/server/host";
import type { AccountsParts } from "../http/environment.js";
import type { Together } from "../people/account-store.js";
import {
  isCurrent,
  type ListedSession,
  newSession,
  type Session,
  type SessionGrant,
  type SignedIn,
  sessions,
  touched,
  withGrant,
} from "../people/session.js";

const pageSize = 100;
/** A SHA-256 in base64url. Anything else is not looked up. */
const keyPattern = /^[A-Za-z0-9_-]{43}$/;

/** How often a change is tried again, because another request has changed a session in between. */
const maxTries = 10;

interface Person {
  readonly tenantId: string;
  readonly principalId: string;
}

type Found = FoundRecord<ListedSession>;

export type SessionStore = ReturnType<typeof createSessionStore>;

/**
 * Creates the store of the sessions of the people of the tenant. The storage contains only the hashes of their tokens.
 *
 * `addGrant`, `end`, `endAll` and `lock` throw a StorageError "contended" if other requests changed a session again and again in between.
 */
export function createSessionStore(parts: Pick<AccountsParts, "own" | "clock" | "tenantId">) {
  const { own, clock, tenantId } = parts;

  async function findBy(key: string, call: Call, activeOwner = true): Promise<Found | undefined> {
    const found = sessions.open(await own.getRecord({ ...sessions.key(tenantId, key), activeOwner }, call));
    return found && isCurrent(found.value, clock.now()) ? found : undefined;
  }

  async function listFound({ principalId }: Person): Promise<readonly Found[]> {
    const query = { collection: sessions.name, tenantId, principalId, limit: pageSize };
    const all: Found[] = [];
    for (let afterKey: string | undefined; ; ) {
      const page = await own.listRecords({ ...query, afterKey });
      const now = clock.now();
      // A session that has ended has no value.
      const current = page
        .filter(({ expiresAt = 0 }) => expiresAt > now)
        .flatMap((record) => sessions.open(record) ?? []);
      all.push(...current.filter(({ value }) => isCurrent(value, now)));
      afterKey = page.at(-1)?.key;
      if (page.length < pageSize) return all;
    }
  }

  async function findOf({ principalId }: Person, key: string, call: Call): Promise<readonly Found[]> {
    const found = keyPattern.test(key) ? await findBy(key, call, false) : undefined;
    return found?.value.principalId === principalId ? [found] : [];
  }

  /** Ends what is found, or locks it. If a session was extended or got a token in between, all of it is found and written again. */
  async function endFound(find: () => Promise<readonly Found[]>, call: Call, end = ending): Promise<void> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const ended = end(await find());
      if (ended.puts.length === 0 || (await own.putRecords(ended, call)).ok) return;
    }
    throw new StorageError("contended");
  }

  return {
    /**
     * Returns the token of a new session, for the cookie, and what is written in one step with its sign-in.
     *
     * @param event what the audit trail records.
     * @param before a session that ends in the same step.
     */
    async start(signedIn: SignedIn, event: string, before: Session | undefined, call: Call) {
      const token = randomBytes(32).toString("base64url");
      const now = clock.now();
      const ended = ending(before === undefined ? [] : await findOf(before, before.sessionId, call));
      const started = { subject: `account:${signedIn.principalId}`, event };
      const puts = [sessions.create(newSession(keyOf(token), signedIn, now), now), ...ended.puts];
      return { token, together: { ...ended, puts, events: [started, ...ended.events] } };
    },

    /** Finds the session of a token, and extends it if asked to. Undefined if it has ended, or the person is not active. */
    async find(
      token: string,
      { extend }: { readonly extend: boolean },
      call: Call,
    ): Promise<ListedSession | undefined> {
      const found = await findBy(keyOf(token), call);
      const now = clock.now();
      const next = found && extend ? touched(found.value, now) : undefined;
      if (found === undefined || next === undefined) return found?.value;
      try {
        const current = sessions.read((await own.putRecord(found.replace(next), call)).record);
        return current && isCurrent(current, now) ? current : undefined;
      } catch (error) {
        // The storage accepts no writes now. The session is valid until it expires.
        if (error instanceof StorageError) return found.value;
        throw error;
      }
    },

    /**
     * Adds a grant, which ends with the session, unless another one was added since the session was read. Resolves with the session as
     * stored; undefined if it has ended, or is locked.
     */
    async addGrant({ sessionId, grants }: Session, grant: SessionGrant, call: Call): Promise<Session | undefined> {
      for (let tries = 0; tries < maxTries; tries += 1) {
        const found = await findBy(sessionId, call);
        if (found === undefined || found.value.locked) return undefined;
        if (found.value.grants.at(-1)?.tokenId !== grants.at(-1)?.tokenId) return found.value;
        const next = withGrant(found.value, grant, clock.now());
        if ((await own.putRecord(found.replace(next), call)).ok) return next;
      }
      throw new StorageError("contended");
    },

    /** Returns what is written when the person gets another name: each session has a copy of it. */
    async renaming(person: Person, displayName: string) {
      return (await listFound(person)).map((found) => found.replace({ ...found.value, displayName }));
    },

    /** Returns what is written when all sessions of a person end, and their tokens with them. */
    endingAll: async (person: Person) => ending(await listFound(person)),

    /** Lists the sessions of a person, the newest first. */
    async list(person: Person): Promise<readonly ListedSession[]> {
      const found = (await listFound(person)).map(({ value }) => value);
      return found.toSorted((one, other) => other.signedInAt - one.signedInAt);
    },

    /** Ends a session of this person, and revokes its tokens, in one step. */
    end: (person: Person, sessionId: string, call: Call) => endFound(() => findOf(person, sessionId, call), call),

    /** Ends all sessions of this person, and revokes their tokens, in one step. */
    endAll: (person: Person, call: Call) => endFound(() => listFound(person), call),

    /** Locks a session of this person, and revokes its tokens, in one step. */
    lock: (person: Person, sessionId: string, call: Call) =>
      endFound(() => findOf(person, sessionId, call), call, locking),
  };
}

function ending(found: readonly Found[], event = "ended"): Required<Together> {
  return {
    puts: found.map((each) => each.remove()),
    alsoRevoked: found.flatMap(({ value }) => value.grants.map(({ grantId }) => grantId)),
    events: found.map(({ value: { principalId, sessionId } }) => ({
      subject: `session:${principalId}/${sessionId}`,
      event,
    })),
  };
}

/** Returns what is written when sessions are locked, unless they are. */
function locking(all: readonly Found[]): Required<Together> {
  const found = all.filter(({ value }) => !value.locked);
  const puts = found.map((each) => each.replace({ ...each.value, grants: [], locked: true }));
  return { ...ending(found, "locked"), puts };
}

function keyOf(token: string): string {
  return hash("sha256", token, "base64url");
}
