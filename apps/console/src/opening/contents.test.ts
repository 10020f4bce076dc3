import { create } from "@bufbuild/protobuf";
import { type Item, ItemSchema } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { createContents } from "./contents.js";
import type { OpenItems } from "./opener.js";

const makeItem = (itemId: string, version = 1): Item =>
  create(ItemSchema, { itemId, version, encryptedPayload: { ciphertext: "c2VhbGVk" } });

/** Opens items, and records the ids and versions of each batch. */
function recording() {
  const batches: string[][] = [];
  const open: OpenItems = async (items) => {
    batches.push(items.map(({ itemId, version }) => `${itemId} ${version}`));
    return items.map(({ itemId }) => ({ title: itemId, fields: [], revision: { version: 1, hash: "" } }));
  };
  return { batches, open };
}

describe("the contents of a vault", () => {
  it("are opened once for each version of an item", async () => {
    const { batches, open } = recording();
    const contents = createContents(open);
    const [one, two] = [makeItem("one"), makeItem("two")];
    const changed = () => new Promise<void>((resolve) => contents.subscribe(resolve));
    let next = changed();
    contents.want([one, two]);
    await next;
    next = changed();
    const newer = makeItem("one", 2);
    contents.want([newer, two]);
    expect(contents.get(newer)).toBeUndefined();
    await next;
    expect(batches).toEqual([["one 1", "two 1"], ["one 2"]]);
    expect(contents.get(newer)?.title).toBe("one");
    expect(contents.get(two)?.title).toBe("two");
  });

  it("are opened in batches, few at first, and only so many batches at the same time as is wanted", async () => {
    const { batches, open } = recording();
    const held = Promise.withResolvers<void>();
    const contents = createContents(async (items) => {
      const opened = open(items);
      await held.promise;
      return opened;
    }, 2);
    const items = Array.from({ length: 500 }, (_, index) => makeItem(String(index)));
    contents.want(items);
    expect(batches.map(({ length }) => length)).toEqual([10, 10]);
    held.resolve();
    await expect.poll(() => batches.map(({ length }) => length)).toEqual([10, 10, 200, 200, 80]);
    await expect.poll(() => items.map((item) => contents.get(item)?.title)).toEqual(items.map(({ itemId }) => itemId));
  });
});
