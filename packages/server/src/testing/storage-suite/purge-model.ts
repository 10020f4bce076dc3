import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { revokeToken } from "../../domain/manage-access.js";
import { keyOfGrantPlace } from "../../domain/model/grant.js";
import { purgeableBefore } from "../../domain/purge.js";
import { refOf } from "../../ports/storage.js";
import { readAccess } from "../../services/read-access.js";
import { createDeviceFixture, resultOf } from "./device-fixture.js";
import { actor, type createFixture, oauthClientId, principalId, tenantId } from "./fixture.js";
import type { Harness, OpenedStorage } from "./harness.js";
import { get, put, recordOf } from "./records.js";

const minute = 60_000;
const hour = 60 * minute;
const codeLife = 10 * minute;
const tokenLife = 15 * minute;

type Command =
  | { readonly verb: "start" }
  | { readonly verb: "approve" | "deny" | "exchange" | "foreign" | "revoke"; readonly code: number }
  | { readonly verb: "readRecord"; readonly key: string }
  | { readonly verb: "writeRecord"; readonly key: string; readonly ms: number | undefined }
  | { readonly verb: "wait"; readonly ms: number };

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ verb: "start" } as const) },
  {
    weight: 8,
    arbitrary: fc.record({
      verb: fc.constantFrom("approve", "approve", "deny", "exchange", "exchange", "foreign", "revoke"),
      code: fc.nat(3),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      verb: fc.constantFrom("readRecord", "writeRecord"),
      key: fc.constantFrom("key-1", "key-2"),
      // The lives of a record. A record that has expired when it is written is removed.
      ms: fc.constantFrom(undefined, -1, 60_000, 22 * hour),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      verb: fc.constant("wait" as const),
      // A step back of the wall clock, and times around the lives of codes and tokens and the day after them.
      ms: fc.constantFrom(-55 * minute, 30_000, 61_000, codeLife, tokenLife, 22 * hour, 24 * hour, 25 * hour),
    }),
  },
);

/** A code of the run: its lifetime, and its tokens once it was exchanged. */
interface Code {
  readonly name: string;
  readonly expiresAt: number;
  grant: { readonly grantId: string; readonly accessTokenId: string; readonly expiresAt: number } | undefined;
}

/** Creates the calls of one storage. Both storages of a run get the same calls at the same times. */
function createSubject({ storage }: OpenedStorage, clock: ReturnType<typeof createFixture>["clock"]) {
  const device = createDeviceFixture(storage, clock);
  return {
    storage,
    device,
    async revoke(tokenId: string): Promise<void> {
      await storage.transact(refOf(keyOfGrantPlace(tokenId)), revokeToken(tokenId, actor, clock.now()));
    },
    /** Reads a record. Its revision starts again when it is created after it was purged. */
    async readRecord(key: string) {
      const { revision: _, ...record } = (await get(storage, key, clock.now())) ?? {};
      return record;
    },
    async writeRecord(key: string, ms: number | undefined): Promise<boolean> {
      const now = clock.now();
      const record = recordOf(key, { value: `${now}`, expiresAt: ms === undefined ? undefined : now + ms });
      const expected = (await get(storage, key, now))?.revision ?? 0;
      return (await put(storage, record, expected, now)).ok;
    },
    async tokenRevoked({ grantId, accessTokenId: tokenId }: NonNullable<Code["grant"]>): Promise<boolean> {
      return (await readAccess(storage, { tenantId, principalId, oauthClientId, tokenId, grantId })).revoked;
    },
  };
}

export function describePurgeModel({ open }: Harness): void {
  describe("model: a storage that is purged all the time, and one that never is", () => {
    it("give the same results while a code, its tokens or a retry can be used", async () => {
      const { clock } = await open();
      const purged = createSubject(await open(), clock);
      const complete = createSubject(await open(), clock);
      const both = [purged, complete] as const;
      await Promise.all(both.map(({ device }) => device.setUp()));
      let started = 0;

      /** Makes a call to both storages, and expects the same answer unless the documented one for a removed code is allowed. */
      const compare = async (
        call: (subject: typeof purged) => Promise<unknown>,
        removed: { readonly may: boolean; readonly answer: unknown },
      ): Promise<void> => {
        const [one, other] = await Promise.all(both.map(call));
        if (removed.may) expect([other, removed.answer]).toContainEqual(one);
        else expect(one).toEqual(other);
      };

      const never = { may: false, answer: undefined };
      const perform = async (codes: Code[], each: Command): Promise<void> => {
        if (each.verb === "wait") {
          if (each.ms < 0) clock.step(each.ms);
          else clock.advance(each.ms);
          return;
        }
        if (each.verb === "start") {
          started += 1;
          const name = `code-${started}`;
          for (const { device } of both) expect(await device.start(name)).toMatchObject({ ok: true });
          codes.push({ name, expiresAt: clock.now() + codeLife, grant: undefined });
          return;
        }
        if (each.verb === "readRecord") return compare(({ readRecord }) => readRecord(each.key), never);
        if (each.verb === "writeRecord") return compare(({ writeRecord }) => writeRecord(each.key, each.ms), never);
        const code = codes[each.code % codes.length];
        if (code === undefined) return;
        const { name, grant } = code;
        // Nothing of a code can matter later than its tokens, and the wall clock may be an hour ahead.
        const codeRemoved = clock.now() > code.expiresAt + tokenLife + hour;
        const answer = each.verb === "deny" ? "deny" : undefined;
        switch (each.verb) {
          case "approve":
          case "deny":
            await compare(({ device }) => device.answer(`user-${name}`, answer), {
              may: codeRemoved,
              answer: { ok: false, reason: "USER_CODE_INVALID" },
            });
            return;
          case "exchange":
          case "foreign": {
            const caller = each.verb === "foreign" ? "other-client" : oauthClientId;
            await compare(
              async ({ device }) => {
                const outcome = await device.exchange(name, { caller, key: "key-1" });
                if (outcome.ok && outcome.status === "approved") code.grant = outcome.grant;
                return resultOf(outcome);
              },
              { may: codeRemoved, answer: "DEVICE_CODE_INVALID" },
            );
            return;
          }
          case "revoke":
            if (grant === undefined) return;
            await Promise.all(both.map((subject) => subject.revoke(grant.accessTokenId)));
            return;
        }
      };

      await fc.assert(
        fc.asyncProperty(fc.array(command, { minLength: 4, maxLength: 30 }), async (commands) => {
          const codes: Code[] = [];
          for (const each of commands) {
            await perform(codes, each);
            await purged.storage.purge(purgeableBefore(clock.now()), 100);
            for (const { grant } of codes) {
              // Nobody asks for a token that has expired, and the wall clock may be an hour ahead. A code is removed before its
              // grant, which is then no longer revoked when another client sends the code.
              if (grant === undefined || clock.now() > grant.expiresAt * 1000 + hour) continue;
              await compare((subject) => subject.tokenRevoked(grant), never);
            }
          }
        }),
        { numRuns: 40 },
      );
      clock.advance(48 * hour);
      await purged.storage.purge(purgeableBefore(clock.now()), 10_000);
      expect(await purged.storage.purge(Number.MAX_SAFE_INTEGER, 1)).toBe(0);
    });
  });
}
