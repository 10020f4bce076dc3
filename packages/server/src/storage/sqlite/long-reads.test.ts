import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Grant } from "../../domain/grant.js";
import { openDatabase } from "./database/open-database.js";
import { createListGrants, createTurns } from "./long-reads.js";
import { createGrants } from "./tables/grants.js";

it("one of several long reads continues in each turn of the event loop", async () => {
  const nextTurn = createTurns();
  const order: string[] = [];
  const read = async (name: string) => {
    for (let part = 1; part <= 2; part += 1) {
      await nextTurn();
      order.push(name + part);
    }
  };
  const reads = Promise.all([read("a"), read("b")]);
  for (let turn = 0; turn < 4; turn += 1) {
    await setImmediate();
    order.push("other call");
  }
  await reads;
  expect(order.join()).toBe("other call,a1,other call,b1,other call,a2,other call,b2");
});

const person = { tenantId: "tenant-1", principalId: "principal-1" };

/** Opens a database with grants, named after their order. A part of them is read at once. */
function openGrants(stored: readonly Partial<Grant>[], atOnce: number) {
  const database = openDatabase(":memory:");
  const grants = createGrants(database, atOnce);
  const added = stored.map((change, n): Grant => {
    const ids = { grantId: `grant-${n}`, accessTokenId: `access-${n}`, brokerTokenId: "" };
    const times = { issuedAt: 0, expiresAt: 900 };
    return { ...person, oauthClientId: "agent", scopes: [], keyId: "key-1", popKeyId: "", ...ids, ...times, ...change };
  });
  for (const grant of added) grants.add(grant);
  return { database, grants, added };
}

describe("listing the grants of a principal", () => {
  it("lists the newest valid ones, whatever the number of parts in which they are read", async () => {
    const stored = fc.record({
      principalId: fc.constantFrom("principal-1", "principal-2"),
      issuedAt: fc.nat(3),
      expiresAt: fc.nat(9),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(stored, { maxLength: 12 }),
        fc.integer({ min: 1, max: 13 }),
        fc.integer({ min: 1, max: 4 }),
        async (all, atOnce, limit) => {
          const { database, grants, added } = openGrants(all, atOnce);
          const list = createListGrants({ grants }, async (query) => query(), createTurns());
          const ofPerson = added.filter((grant) => grant.principalId === "principal-1" && grant.expiresAt > 2);
          const newestFirst = ofPerson.sort(
            (one, two) => two.issuedAt - one.issuedAt || (one.grantId < two.grantId ? -1 : 1),
          );
          expect(await list({ ...person, expiresAfter: 2, limit })).toEqual(newestFirst.slice(0, limit));
          database.close();
        },
      ),
    );
  });

  it("lets other calls continue after each part of many grants", async () => {
    const { database, grants } = openGrants(
      Array.from({ length: 6 }, (_, n) => ({ expiresAt: 900 + n })),
      2,
    );
    const order: string[] = [];
    const read = async <T>(query: () => T) => {
      order.push("part");
      return query();
    };
    const list = createListGrants({ grants }, read, createTurns());
    const listing = list({ ...person, expiresAfter: 0, limit: 9 });
    for (let call = 0; call < 3; call += 1) {
      await setImmediate();
      order.push("other call");
    }
    expect(await listing).toHaveLength(6);
    expect(order.join()).toBe("part,other call,part,other call,part,other call,part");
    database.close();
  });
});
