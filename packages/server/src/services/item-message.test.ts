import { create, fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import { DeleteItemResponseSchema, ItemSchema } from "@platform-rpc/types";
import fc from "fast-check";
import { expect, it } from "vitest";
import { fuzzRuns } from "../../test/wire/fuzz-runs.js";
import { publicContract } from "../contract/contract.js";
import { contentJson, type Item, itemBytes, JsonContent, wholeItem } from "../domain/model/item.js";
import { encodeMessage } from "../http/serve-call.js";
import { itemMessage } from "./item-message.js";

const word = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom(',"encryptedPayload":', '"', "\\", "{}"),
);
const id = fc.stringMatching(/^[A-Za-z0-9._:-]{1,128}$/);
const uint32 = fc.nat({ max: 2 ** 32 - 1 });
const contents = fc.record({
  ...{ kind: word, titleHash: word },
  encryptedPayload: fc.record({ alg: word, nonce: word, aad: word, ciphertext: word, version: uint32 }),
  wrappedKeys: fc.array(fc.record({ recipientId: word, wrapAlg: word, wrappedKey: word }), { maxLength: 3 }),
});
const statuses = fc.record({
  ...{ tenantId: id, vaultId: id, itemId: id, version: uint32, sequence: uint32, shredAt: fc.constant(undefined) },
  updatedAt: fc.integer({ min: 0, max: 253_402_300_798_000 }),
  state: fc.constantFrom("live", "deleted", "shredded"),
});

/** Items with the content as a rule has it, and with the same content as it was read from a storage. */
const items: fc.Arbitrary<Item> = fc
  .tuple(statuses, contents, fc.boolean())
  .map(([status, content, isStored]) =>
    isStored
      ? wholeItem({ ...status, content: () => new JsonContent(contentJson(content)) })
      : { ...status, ...content },
  );

it("a response with an item is what protobuf-es writes from its fields, as JSON and in binary", () => {
  fc.assert(
    fc.property(items, (item) => {
      const message = create(DeleteItemResponseSchema, { item: itemMessage(item) });
      const json = encodeMessage(DeleteItemResponseSchema, message, publicContract.writeJson);
      expect(json).toBe(encodeMessage(DeleteItemResponseSchema, message));
      const { kind, titleHash, encryptedPayload, wrappedKeys } = item;
      expect(JSON.parse(json).item).toMatchObject({ kind, titleHash, encryptedPayload, wrappedKeys });
      // A half of a surrogate pair has no UTF-8.
      if (json.includes("\\ud")) return;
      const decoded = fromBinary(ItemSchema, toBinary(ItemSchema, itemMessage(item)));
      expect(toJson(ItemSchema, decoded)).toEqual(toJson(ItemSchema, itemMessage(item)));
    }),
    { numRuns: fuzzRuns(2_000) },
  );
});

it("JSON.stringify writes all members of an item, whether its content was parsed or not", () => {
  fc.assert(
    fc.property(statuses, contents, (status, content) => {
      const stored = wholeItem({ ...status, content: () => new JsonContent(contentJson(content)) });
      expect(JSON.parse(JSON.stringify(stored))).toEqual(JSON.parse(JSON.stringify({ ...status, ...content })));
    }),
  );
});

it("an item in a list of changes has at most the bytes that a page counts", () => {
  fc.assert(
    fc.property(items, uint32, (item, sequence) => {
      const json = encodeMessage(ItemSchema, itemMessage(item));
      const change = `{"sequence":${sequence},"item":${json}},`;
      expect(Buffer.byteLength(change)).toBeLessThanOrEqual(itemBytes(item));
    }),
  );
});
