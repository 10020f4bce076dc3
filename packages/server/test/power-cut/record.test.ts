import { describe, expect, it } from "vitest";
import { createDisk } from "./disk.js";
import { record } from "./record.js";
import { shimSupport } from "./shim.js";

describe.skipIf(shimSupport.skip)(shimSupport.title, () => {
  it("reproduces the files of the process, and contains its marks and flushes", async () => {
    const before = new Map([["existed", Buffer.from("before")]]);
    const { operations, after } = await record({ module: "file-operations-child.ts", before });
    const disk = createDisk();
    for (const operation of operations) disk.apply(operation);
    expect([...after.keys()].sort()).toEqual(["existed", "placed", "renamed", "written"]);
    expect(disk.files()).toEqual(after);
    expect(operations.filter(({ kind }) => kind === "mark" || kind === "flush").slice(2)).toEqual([
      { kind: "flush", of: 2, failed: false },
      { kind: "flush", of: 2, failed: false },
      { kind: "flush", of: "names", failed: false },
      { kind: "mark", text: "a mark" },
      { kind: "flush", of: 2, failed: false },
      { kind: "flush", of: 2, failed: true },
      { kind: "mark", text: "flush 2: EIO" },
      { kind: "flush", of: 2, failed: false },
    ]);
  });
});
