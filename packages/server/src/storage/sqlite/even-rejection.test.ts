import { describe, expect, it } from "vitest";
import { alreadyDone, unchanged } from "../../domain/model/decision.js";
import { refOf } from "../../ports/storage.js";
import { itemRef, revocationOf } from "../../testing/storage-suite/fixture.js";
import { isRejection } from "./even-rejection.js";

const ref = { kind: "item", ...itemRef("item-1") } as const;
const asPrincipal = { ...ref, principalId: "principal-1" };
const writing = { outcome: undefined, writes: [revocationOf("id")] };

describe("rejections take the same time whatever exists (DECISIONS section 3)", () => {
  it.each([
    ["evens out a decision for a principal that writes nothing", asPrincipal, unchanged(undefined), true],
    ["does not even out a decision that writes", asPrincipal, writing, false],
    ["does not even out a retry that returns what exists", asPrincipal, alreadyDone(undefined), false],
    ["does not even out a decision without a principal", ref, unchanged(undefined), false],
    ["does not even out a decision that is not about an item", refOf(), unchanged(undefined), false],
  ])("%s", (_, asked, decision, rejected) => {
    expect(isRejection(asked, decision)).toBe(rejected);
  });
});
