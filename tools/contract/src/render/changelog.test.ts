import { describe, expect, it } from "vitest";
import { testOperation } from "../model/testing/test-contract.ts";
import { changesOf, parseChangelog } from "./changelog.ts";

const changelog = parseChangelog(`# @platform-rpc/types

## 1.1.0

### Minor Changes

- 0a1b2c3: DeleteItemRequest has the optional field \`note\`,
  which the audit trail records.
- 4d5e6f7: RestoreItem is new.

### Patch Changes

- 8a9b0c1: The comment of DeleteItem is shorter.

## 1.0.0

### Major Changes

- 2d3e4f5: The first release, with DeleteItem.
`);
const deleteItem = testOperation("platform.v1.VaultService/DeleteItem");

describe("the changelog of an operation (DECISIONS 8)", () => {
  it("contains the released changes that name it or its messages, the newest first", () => {
    expect(changesOf(deleteItem, changelog)).toEqual([
      { version: "1.1.0", text: "DeleteItemRequest has the optional field `note`, which the audit trail records." },
      { version: "1.1.0", text: "The comment of DeleteItem is shorter." },
    ]);
  });

  it("does not contain the first release, which names every operation", () => {
    expect(changesOf(testOperation("platform.v1.VaultService/GetItem"), changelog)).toEqual([]);
  });

  it("is empty before the first release", () => {
    expect(changesOf(deleteItem, parseChangelog(""))).toEqual([]);
  });
});
