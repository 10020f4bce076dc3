import { expect, it } from "vitest";
import { content } from "../testing/cases/item-case.js";
import { caseCaller as actor } from "../testing/cases/storage-driver.js";
import { decidePutItem } from "./put-item.js";

const ref = { tenantId: "t-1", vaultId: "v-1", itemId: "i-1" };
const vault = { tenantId: "t-1", vaultId: "v-1", retentionDays: 30, accessRevision: 0 };

// What callers get is in testing/cases/put-item.ts.
it("PutItem ignores ids in the content and uses those of the ref", () => {
  const put = { ...content, ...{ itemId: "", tenantId: "t-2", vaultId: "v-2" } };
  const snapshot = { vault, role: undefined, item: undefined, floor: 0 };
  const { outcome, writes } = decidePutItem(snapshot, ref, put, 0, actor, 5);
  expect(outcome).toMatchObject({ ok: true, item: { ...ref, version: 1, updatedAt: 5, shredAt: undefined } });
  expect(writes[0]).toMatchObject({ kind: "change", item: ref });
});
