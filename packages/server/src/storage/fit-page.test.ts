import fc from "fast-check";
import { expect, it } from "vitest";
import { type Item, itemBytes } from "../domain/model/item.js";
import { fitPage } from "./fit-page.js";

const word = fc.string({ unit: "binary", maxLength: 40 });
const number = fc.maxSafeNat();
const items: fc.Arbitrary<Item[]> = fc.array(
  fc.record({
    ...{ tenantId: word, vaultId: word, itemId: word, kind: word, titleHash: word },
    ...{ version: number, updatedAt: number, sequence: number, shredAt: fc.option(number, { nil: undefined }) },
    state: fc.constantFrom("live", "deleted", "shredded"),
    encryptedPayload: fc.record({ alg: word, nonce: word, aad: word, ciphertext: word, version: number }),
    wrappedKeys: fc.array(fc.record({ recipientId: word, wrapAlg: word, wrappedKey: word }), { maxLength: 3 }),
  }),
  { maxLength: 8 },
);

it("a page has as many items as the limit and the bytes of JSON allow, and at least one", () => {
  fc.assert(
    fc.property(items, fc.integer({ min: 1, max: 8 }), fc.nat(20_000), (all, limit, maxBytes) => {
      const bytesOf = (count: number) => all.slice(0, count).reduce((sum, item) => sum + itemBytes(item), 0);
      const fits = (count: number) => count <= limit && (count === 1 || bytesOf(count) <= maxBytes);
      const counts = all.map((_, index) => index + 1);
      const count = counts.findLast((each) => counts.slice(0, each).every(fits)) ?? 0;
      expect(fitPage(all, { limit, maxBytes })).toEqual({ items: all.slice(0, count), hasMore: count < all.length });
    }),
  );
});

it("reads one item more than it lists", () => {
  const [item] = fc.sample(
    items.filter(({ length }) => length > 0).map(([first]) => first),
    1,
  );
  let read = 0;
  function* endless() {
    for (;;) {
      read += 1;
      if (item !== undefined) yield item;
    }
  }
  expect(fitPage(endless(), { limit: 3 }).items).toHaveLength(3);
  expect(read).toBe(4);
});
