import { describe, expect, it } from "vitest";
import { compareHistory, type DatabaseHistory, type HistoryReading } from "./history.js";

const known: DatabaseHistory = {
  installation: "2026-11-01",
  database: "server-1/5/7",
  timeline: "00000001",
  announcedAt: 1000,
  newest: { position: 100, digest: "row-100", at: 5000 },
  sealed: { position: 90, digest: "seal-90" },
};
const same: HistoryReading = {
  ...known,
  newest: { position: 120, digest: "row-120", at: 6000 },
  sealed: { position: 110, digest: "seal-110" },
  knownRow: "row-100",
  knownSeal: "seal-90",
  lostChange: undefined,
  events: [],
};
const older = {
  newest: { position: 80, digest: "row-80", at: 4000 },
  sealed: { position: 70, digest: "seal-70" },
  knownRow: undefined,
  knownSeal: undefined,
};
const lostChange = { tenantId: "t", vaultId: "v", itemId: "i", sequence: 3, version: 1 };
const allSealed = { ...known, sealed: { position: 100, digest: "seal-100" } };

describe("compareHistory", () => {
  it.each<[title: string, found: Partial<HistoryReading>, expected: string]>([
    ["everything that was known is there", {}, "same"],
    ["a failover to a synchronous standby: a new timeline", { timeline: "00000002" }, "same"],
    ["the newest known row is missing, and the database ends before it", older, "older"],
    [
      "the database is empty",
      { newest: undefined, sealed: undefined, knownRow: undefined, knownSeal: undefined },
      "older",
    ],
    ["an acknowledged change is missing", { lostChange }, "older"],
    [
      "the newest known row is missing, and there are newer ones",
      { knownRow: undefined, sealed: { position: 95, digest: "seal-95" } },
      "different",
    ],
    ["another row has its position", { knownRow: "other" }, "different"],
    ["another seal has the position of the newest known one", { knownSeal: "other" }, "different"],
    ["the newest known seal is missing", { knownSeal: undefined }, "different"],
    ["tables, where there were none before", { installation: "" }, "same"],
    ["another installation, whatever it announces", { installation: "2026-11-02", announcedAt: 2000 }, "foreign"],
    ["another server, or a restored dump, with the same history", { database: "server-2/5/7" }, "another"],
    ["another server with an older history", { database: "server-2/5/7", ...older }, "older"],
    ["an epoch since, whatever the history", { ...older, database: "server-2/5/7", announcedAt: 1001 }, "announced"],
    ["an epoch that was known", { ...older, announcedAt: 999 }, "older"],
  ])("%s", (_, found, expected) => {
    expect(compareHistory(known, { ...same, ...found })).toBe(expected);
  });

  it("finds nothing missing where no row was known", () => {
    expect(compareHistory({ ...known, newest: undefined, sealed: undefined }, { ...same, knownRow: undefined })).toBe(
      "same",
    );
  });

  it("does not miss a sealed row whose month was archived: its seal remains", () => {
    const archived = { ...same, knownRow: undefined, knownSeal: "seal-100" };
    expect(compareHistory(allSealed, archived)).toBe("same");
    expect(compareHistory(allSealed, { ...archived, knownSeal: undefined })).toBe("different");
    // It was sealed after this process had ended.
    expect(compareHistory(known, { ...same, knownRow: undefined })).toBe("same");
    expect(compareHistory(known, { ...same, knownRow: undefined, sealed: known.sealed })).toBe("different");
  });
});
