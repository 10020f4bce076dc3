import { hash, randomBytes } from "node:crypto";
import { type Call, StorageError, type StoredRecord } from "@platform-rpc/server";
import type { AccountsParts, Session, SessionGrant } from "../http/environment.js";
import {
  endedRecord,
  grantedRecord,
  type ListedSession,
  newSessionRecord,
  type SignedIn,
  sessionCollection,
  sessionOf,
  touchedRecord,
} from "./session-record.js";

const collection = sessionCollection;
const pageSize = 100;
/** A SHA-256 in base64url. Anything else is not looked up. */
const keyPattern = /^[A-Za-z0-9_-]{43}$/;

/** The sessions of the people of the tenant. The storage contains only the hashes of their tokens. */
export interface SessionStore {
  /** Starts a session, and records the event in the audit trail. Resolves with its token, for the cookie. */
  start(signedIn: SignedIn, event: string, call: Call): Promise<string>;
  /** Finds the session of a token, and extends it if asked to. Undefined if it has ended, or the person is not active. */
  find(token: string, options: { readonly extend: boolean }, call: Call): Promise<ListedSession | undefined>;
  /**
   * Adds a grant, which ends with the session, unless another one was added since the session was read. Resolves with the session as
   * stored; undefined if it has ended.
   */
  addGrant(session: Session, grant: SessionGrant, call: Call): Promise<Session | undefined>;
  /** Lists the sessions of a person, the newest first. */
  list(person: Person): Promise<readonly ListedSession[]>;
  /** Ends a session of this person, and revokes its tokens in the same commit. */
  end(person: Person, sessionId: string, call: Call): Promise<void>;
  endAll(person: Person, call: Call): Promise<void>;
}

interface Person {
  readonly tenantId: string;
  readonly principalId: string;
}

export function createSessionStore(parts: Pick<AccountsParts, "own" | "clock" | "tenantId">): SessionStore {
  const { own, clock, tenantId } = parts;

  async function records({ principalId }: Person): Promise<readonly StoredRecord[]> {
    const all: StoredRecord[] = [];
    for (;;) {
      const afterKey = all.at(-1)?.key;
      const page = await own.listRecords({ collection, tenantId, principalId, afterKey, limit: pageSize });
      all.push(...page);
      if (page.length < pageSize) return all;
    }
  }

  async function end({ principalId }: Person, key: string, call: Call): Promise<void> {
    if (!keyPattern.test(key)) return;
    for (;;) {
      const record = await own.getRecord({ tenantId, collection, key }, call);
      if (record?.principalId !== principalId) return;
      const event = { subject: `session:${principalId}/${key}`, event: "ended" };
      const ended = endedRecord(record);
      const alsoRevoked = sessionOf(record, clock.now())?.grants.map(({ grantId }) => grantId);
      // If it was extended or got a token in between, it is ended again.
      if ((await own.putRecord({ record: ended, expectedRevision: record.revision, alsoRevoked, event }, call)).ok)
        return;
    }
  }

  const active = async (person: Person): Promise<ListedSession[]> =>
    (await records(person)).flatMap((record) => sessionOf(record, clock.now()) ?? []);

  return {
    async start(signedIn, event, call) {
      const token = randomBytes(32).toString("base64url");
      const record = newSessionRecord(keyOf(token), signedIn, clock.now());
      const subject = `account:${signedIn.principalId}`;
      await own.putRecord({ record, expectedRevision: 0, event: { subject, event } }, call);
      return token;
    },

    async find(token, { extend }, call) {
      const record = await own.getRecord({ tenantId, collection, key: keyOf(token), activeOwner: true }, call);
      if (record === undefined) return undefined;
      const now = clock.now();
      const session = sessionOf(record, now);
      const touched = session && extend ? touchedRecord(record, now) : undefined;
      if (touched === undefined) return session;
      const writing = own.putRecord({ record: touched, expectedRevision: record.revision }, call);
      const written = await writing.catch((thrown: unknown) => {
        // The storage accepts no writes now. The session is valid until it expires.
        if (thrown instanceof StorageError) return { record };
        throw thrown;
      });
      return written.record && sessionOf(written.record, now);
    },

    async addGrant({ sessionId: key, grants }, grant, call) {
      for (;;) {
        const record = await own.getRecord({ tenantId, collection, key, activeOwner: true }, call);
        const now = clock.now();
        const current = record && sessionOf(record, now);
        if (record === undefined || current === undefined) return undefined;
        if (current.grants.at(-1)?.tokenId !== grants.at(-1)?.tokenId) return current;
        const granted = grantedRecord(record, grant, now);
        const put = await own.putRecord({ record: granted, expectedRevision: record.revision }, call);
        if (put.ok) return sessionOf(put.record, now);
      }
    },

    list: async (person) => (await active(person)).toSorted((one, other) => other.signedInAt - one.signedInAt),

    end,

    async endAll(person, call) {
      for (const { sessionId } of await active(person)) await end(person, sessionId, call);
    },
  };
}

function keyOf(token: string): string {
  return hash("sha256", token, "base64url");
}
