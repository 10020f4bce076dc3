import fc from "fast-check";
import Papa from "papaparse";
import { describe, expect, it } from "vitest";
import { type ActivityEntry, type ActivityPage, noFilter, queryOf, readActivity } from "./activity.js";
import { byDay } from "./entries.js";
import { actorInWords, hasFailed, inWords, toCsv } from "./words.js";

const entry: ActivityEntry = {
  position: 7,
  at: "2026-11-22T12:00:00.000Z",
  by: "you",
  operation: "platform.v1.VaultService/DeleteItem",
  subject: "item:v-1/i-1",
  event: "deleted",
  version: 2,
  requestId: "r-1",
};
const software = { id: "agent", name: "Agent" };

describe("an entry in words", () => {
  it.each([
    ["item:v-1/i-1", "deleted", "Deleted an item"],
    ["member:v-1/ada", "role viewer", "Gave a member of a vault the role viewer"],
    ["device-authorization:agent/ada", "burned: the scopes changed", "No access was given: the scopes changed"],
    ["grant:g", "granted by refresh-family:f", "Renewed a token"],
    ["account:ada", "signed in with passkey", "Signed in with passkey"],
    ["vault:v-1", "exported: bitwarden-json", "Exported a vault as Bitwarden JSON, unencrypted"],
    ["new:x", "polished", "Polished"],
  ])("%s %s: %s", (subject, event, words) => {
    expect(inWords({ subject, event })).toBe(words);
  });

  it.each([
    [{ by: "you" }, "You"],
    [{ by: "you", software }, "Agent, for you"],
    [{ by: "member", principalId: "eve" }, "Member eve"],
    [{ by: "member", principalId: "eve", software }, "Agent, for member eve"],
    [{ by: "software", software }, "Agent"],
    [{ by: "platform" }, "The platform"],
  ] as const)("%j is %s", (changes, words) => {
    expect(actorInWords({ ...entry, ...changes })).toBe(words);
  });

  it("tells a failure", () => {
    expect(hasFailed({ event: "sign-in with passkey failed" })).toBe(true);
    expect(hasFailed({ event: "signed in with passkey" })).toBe(false);
  });
});

it("entries are grouped by their day, in their order, and a day is named once", () => {
  const times = ["2026-11-27T12:00:00", "2026-11-27T09:00:00", "2026-11-26T23:00:00"];
  const days = byDay(times.map((at, position) => ({ ...entry, at, position })));
  expect(days.map(([day, ofDay]) => [day, ofDay.map(({ position }) => position)])).toEqual([
    ["Friday, November 27, 2026", [0, 1]],
    ["Thursday, November 26, 2026", [2]],
  ]);
});

describe("the query of a filter", () => {
  it("contains only what is selected, and whole days", () => {
    expect(queryOf(noFilter, undefined)).toBe("");
    const query = new URLSearchParams(
      queryOf({ ...noFilter, from: "2026-11-22", until: "2026-11-22", software: "agent", by: "me" }, 9),
    );
    expect(Object.fromEntries(query)).toMatchObject({ software: "agent", by: "me", before: "9" });
    const [from, until] = ["from", "until"].map((name) => Date.parse(query.get(name) ?? ""));
    expect((until ?? 0) - (from ?? 0)).toBe(24 * 60 * 60_000);
  });
});

describe("the CSV", () => {
  it("has a head, CRLF, and quotes where RFC 4180 requires them", () => {
    expect(toCsv([{ ...entry, event: 'a "b", c' }])).toBe(
      "Time,Who,Software,What,Operation,Subject,Event,Version,Request id\r\n" +
        '2026-11-22T12:00:00.000Z,You,,"A ""b"", c",platform.v1.VaultService/DeleteItem,item:v-1/i-1,"a ""b"", c",2,r-1\r\n',
    );
  });

  it("no cell begins like a formula, whatever it contains", () => {
    const anyText = fc.string({ unit: fc.constantFrom("=", "+", "-", "@", "\t", "\r", "\n", '"', ",", "a", "é") });
    fc.assert(
      fc.property(anyText, anyText, (subject, requestId) => {
        const csv = toCsv([{ ...entry, subject, requestId }]);
        const [, ...cells] = Papa.parse<string[]>(csv, { delimiter: ",", newline: "\r\n", skipEmptyLines: true }).data;
        expect(cells.flat().filter((text) => /^[=+\-@\t\r]/.test(text))).toEqual([]);
        expect(cells).toHaveLength(1);
        expect(cells[0]).toHaveLength(9);
      }),
    );
  });
});

describe("reading", () => {
  /** Serves pages of which only each third has an entry. */
  function trail(pages: number) {
    const paths: string[] = [];
    const fetchPage = async (path: string): Promise<ActivityPage> => {
      paths.push(path);
      const entries = paths.length % 3 === 0 ? [{ ...entry, position: paths.length }] : [];
      return { entries, readTo: entry.at, ...(paths.length < pages && { next: pages - paths.length }) };
    };
    return { paths, fetchPage };
  }

  it("continues through parts of the trail without entries, up to the limits", async () => {
    const { paths, fetchPage } = trail(100);
    const first = await readActivity(noFilter, undefined, { entries: 2, requests: 20 }, fetchPage);
    expect(first.entries.map(({ position }) => position)).toEqual([3, 6]);
    expect(first.next).toBe(94);
    const second = await readActivity(noFilter, first.next, { entries: 2, requests: 2 }, fetchPage);
    expect(second).toMatchObject({ entries: [], next: 92 });
    expect(paths[6]).toBe("activity?before=94");
  });
});
