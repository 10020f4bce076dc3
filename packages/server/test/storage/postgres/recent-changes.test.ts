import { expect, it } from "vitest";
import { createRecentChanges } from "../../../src/storage/postgres/recent-changes.js";

const change = (sequence: number) => ({ tenantId: "t", vaultId: "v", itemId: "i", version: sequence, sequence });

it("keeps the newest change of each tenth of a second in which there were any, at most 128", () => {
  let time = 0;
  const { acknowledged, list } = createRecentChanges(() => time);
  for (const sequence of [1, 2, 3]) acknowledged(change(sequence));
  time = 100;
  acknowledged(change(4));
  // Nothing was acknowledged during an outage: the newest change before it is kept.
  time = 60_000;
  acknowledged(change(5));
  expect(list().map(({ sequence }) => sequence)).toEqual([3, 4, 5]);
  for (let sequence = 6; sequence < 200; sequence += 1) {
    time += 100;
    acknowledged(change(sequence));
  }
  expect(list()).toHaveLength(128);
  expect(list()[0]?.sequence).toBe(72);
});

it("keeps the newest change before a failover that took less than a tenth of a second", () => {
  const { acknowledged, connected, list } = createRecentChanges(() => 0);
  for (const sequence of [1, 2]) acknowledged(change(sequence));
  connected();
  for (const sequence of [2, 3]) acknowledged(change(sequence));
  expect(list().map(({ sequence }) => sequence)).toEqual([2, 3]);
});
