import { expect, it } from "vitest";
import { principals } from "../../../src/domain/model/access.js";
import { readAccess } from "../../../src/services/read-access.js";
import { actor, createFixture, itemRef, principalId, tenantId } from "../../../src/testing/storage-suite/fixture.js";
import { openStorages } from "./testing/open-storages.js";

it.each([
  ["a NUL character", "item\u0000"],
  ["half of a surrogate pair", "item\ud800"],
])("a call whose keys contain %s fails alone, not with its batch", async (_, itemId) => {
  const { storages } = await openStorages(1);
  const [storage] = storages;
  if (storage === undefined) throw new Error("no storage was opened");
  const { createVault, put, write } = createFixture(storage);
  await createVault();
  await write(principals.create({ tenantId, principalId, active: true }, 0));
  const unavailable = { reason: { name: "StorageError", reason: "unavailable" } };
  const results = await Promise.allSettled([
    put(itemRef("item-1"), "a", 0),
    put(itemRef(itemId), "a", 0),
    put(itemRef("item-2"), "a", 0),
  ]);
  expect(results).toMatchObject([{ value: { sequence: 1 } }, unavailable, { value: { sequence: 2 } }]);

  const access = { ...actor, grantId: "" };
  const states = [access, { ...access, tokenId: itemId }, access].map((ref) => readAccess(storage, ref));
  const active = { value: { principalActive: true } };
  expect(await Promise.allSettled(states)).toMatchObject([active, unavailable, active]);
});
