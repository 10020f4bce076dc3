import { describe, expect, it } from "vitest";
import { runSql } from "../../../src/storage/postgres/testing/test-database.js";
import { openStorages } from "./testing/open-storages.js";

const limits = [
  { key: "principal", most: 5 },
  { key: "tenant", most: 50 },
];
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("DECISIONS section 7: the wrong guesses of several processes", () => {
  it("are counted exactly, when they are made at the same time", async () => {
    const { storages } = await openStorages(4);
    const guess = () => Promise.all(storages.flatMap(({ guesses }) => numbers(5).map(() => guesses.guess(limits))));
    expect((await guess()).filter(Boolean)).toHaveLength(5);
    await storages[0]?.guesses.pardon(["principal", "tenant", "never missed"]);
    expect((await guess()).filter(Boolean)).toHaveLength(1);
  });

  it("count for all of their keys, or for none if one of them is blocked", async () => {
    const { storages } = await openStorages(1);
    const guess = async (...keys: string[]) => storages[0]?.guesses.guess(keys.map((key) => ({ key, most: 1 })));
    expect(await guess("a")).toBe(true);
    expect(await guess("a", "b")).toBe(false);
    expect(await guess("b")).toBe(true);
  });

  it("count for ten minutes, then their rows are removed", async () => {
    const { url, storages } = await openStorages(1);
    const age = (ms: number) =>
      runSql(url, "UPDATE wrong_guesses SET times = ARRAY(SELECT t - $1 FROM unnest(times) AS t)", [ms]);
    const guess = async (key: string) => storages[0]?.guesses.guess([{ key, most: 1 }]);
    expect([await guess("a"), await guess("a")]).toEqual([true, false]);
    await age(590_000);
    expect(await guess("a")).toBe(false);
    await age(11_000);
    expect(await guess("b")).toBe(true);
    expect(await runSql(url, "SELECT count(*)::integer AS rows FROM wrong_guesses")).toEqual([{ rows: 1 }]);
    expect(await guess("a")).toBe(true);
  });
});
