import fc from "fast-check";
import Papa from "papaparse";
import { describe, expect, it } from "vitest";
import { type ActivityEntry, type ActivityPage, noFilter, queryOf, readActivity } from "./activity.js";
import { actsOf } from "./acts.js";
import {
  actorInWords,
  dayInWords,
  hasFailed,
  inWords,
  readable,
  severalInWords,
  splitAtObject,
  toCsv,
} from "./words.js";

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
    ["account:ada", "signed in with passkey: Chrome on Linux", "Signed in with a passkey in Chrome on Linux"],
    ["device-authorization:agent/ada", "denied", "Denied software access"],
    ["delegation:d", "opened: at most 2 deletions", "Got access with limits: at most 2 deletions"],
    ["vault:v-1", "exported: bitwarden-json", "Exported a vault as Bitwarden JSON, unencrypted"],
    ["item:v-1/i-1", "used at example.com:8443: 3 of 50", "Used an item at example.com:8443, 3 of 50"],
    ["new:x", "polished", "Polished"],
  ])("%s %s: %s", (subject, event, words) => {
    expect(inWords({ subject, event })).toBe(words);
  });

  it.each([
    ["device-authorization:agent/ada", "approved", "Allowed Agent to act"],
    ["authorization-code:agent/ada", "approved: at most 2 deletions", "Allowed Agent to act: at most 2 deletions"],
    ["item:v-1/i-1", "deletion by agent allowed", "Allowed Agent to delete an item"],
    ["item:v-1/i-1", "use by agent at example.com allowed", "Allowed Agent to use an item at example.com"],
    ["item:v-1/i-1", "deletion by agent withdrawn", "No longer allowed Agent to delete an item"],
  ])("%s %s names the software: %s", (subject, event, words) => {
    expect(inWords({ subject, event, about: "Agent" })).toBe(words);
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

describe("one act is one line", () => {
  const made = (subject: string, event: string, requestId: string, changes = {}) => ({
    ...{ ...entry, subject, event, requestId, position: 0 },
    ...changes,
  });
  const told = (entries: readonly ActivityEntry[]) =>
    actsOf(entries).map(({ entry: { event, requestId }, same, entries: all }) => [
      event,
      requestId,
      same.length,
      all.length,
    ]);

  it.each<readonly [string, readonly ActivityEntry[], readonly (readonly [string, string, number, number])[]]>([
    [
      "the records of a request, told by what it was about",
      [
        made("grant:g", "revoked: x", "r-1"),
        made("refresh-family:f", "revoked: x", "r-1"),
        made("delegation:d", "ended", "r-1"),
      ],
      [["ended", "r-1", 1, 3]],
    ],
    [
      "a vault that is deleted with its items",
      [made("item:v/a", "deleted", "r-1"), made("item:v/b", "deleted", "r-1"), made("vault:v", "deleted", "r-1")],
      [["deleted", "r-1", 1, 3]],
    ],
    [
      "many items of one request",
      [made("item:v/a", "created", "r-1"), made("item:v/b", "created", "r-1")],
      [["created", "r-1", 2, 2]],
    ],
    [
      "four requests in a row that do the same",
      ["r-4", "r-3", "r-2", "r-1"].map((request) => made(`item:v/${request}`, "created", request)),
      [["created", "r-4", 4, 4]],
    ],
    [
      "four uses at a host, whatever their numbers are, but not those at another host",
      ["a.example: 4 of 9", "a.example: 3 of 9", "a.example: 2 of 9", "a.example: 1 of 9", "b.example: 1 of 9"].map(
        (use) => made("item:v/a", `used at ${use}`, use),
      ),
      [
        ["used at a.example: 4 of 9", "a.example: 4 of 9", 4, 4],
        ["used at b.example: 1 of 9", "b.example: 1 of 9", 1, 1],
      ],
    ],
    [
      "three requests are three",
      ["r-3", "r-2", "r-1"].map((request) => made("item:v/a", "replaced", request)),
      [
        ["replaced", "r-3", 1, 1],
        ["replaced", "r-2", 1, 1],
        ["replaced", "r-1", 1, 1],
      ],
    ],
    [
      "four requests of different software are four",
      ["r-4", "r-3", "r-2", "r-1"].map((id) => made("item:v/a", "deleted", id, { software: { id, name: id } })),
      ["r-4", "r-3", "r-2", "r-1"].map((id) => ["deleted", id, 1, 1] as const),
    ],
  ])("%s", (_, entries, acts) => {
    expect(told(entries)).toEqual(acts);
  });

  it("every record is in one act, in its order", () => {
    const anyEntry = fc.record({
      subject: fc.constantFrom("item:v/a", "item:v/b", "grant:g", "delegation:d", "new:x"),
      event: fc.constantFrom("created", "deleted"),
      requestId: fc.constantFrom("r-1", "r-2", "r-3"),
    });
    fc.assert(
      fc.property(fc.array(anyEntry), (made) => {
        const entries = made.map((changes, position) => ({ ...entry, ...changes, position }));
        expect(actsOf(entries).flatMap((act) => act.entries)).toEqual(entries);
      }),
    );
  });
});

describe("words with names", () => {
  it.each([
    ["item:v-1/i-1", "deleted for ever", ["Deleted ", " for ever"], "Deleted 3 items for ever"],
    [
      "item:v-1/i-1",
      "used at example.com: 3 of 50",
      ["Used ", " at example.com, 3 of 50"],
      "Used items 3 times at example.com, 3 of 50",
    ],
    ["item:v-1/i-1", "use not sent", ["Did not send the request with ", ""], "Did not send the request with 3 items"],
    ["item:v-1/i-1", "shredded", ["Destroyed the content of ", ""], "Destroyed the content of 3 items"],
    ["vault:v-1", "exported: bitwarden-json", ["Exported ", " as Bitwarden JSON, unencrypted"], undefined],
    ["grant:g", "granted by refresh-family:f", ["Renewed a token"], "Renewed a token, 3 times"],
    ["member:v-1/ada", "removed", ["Removed a member from ", ""], "Removed 3 members from a vault"],
  ])("%s %s is told around the name", (subject, event, parts, several) => {
    expect(splitAtObject(inWords({ subject, event }))).toEqual(parts);
    if (several !== undefined) expect(severalInWords({ ...entry, subject, event }, 3)).toBe(several);
  });

  it("limits name vaults and times", () => {
    const nameOf = (vaultId: string) => `“${vaultId}”`;
    const words =
      "Changed what software may do: vaults v-1 v-2, actions delete, at most 2 deletions, until 2026-12-06T12:00:00.000Z";
    expect(readable(words, nameOf)).toMatch(
      /^Changed what software may do: “v-1” and “v-2”, at most 2 deletions, until Dec 6, 2026, \d+:00\s[AP]M$/,
    );
    expect(readable("Changed what software may do: vaults none", nameOf)).toBe(
      "Changed what software may do: no vaults",
    );
  });

  it.each([
    ["2026-11-27T09:00:00", "Today"],
    ["2026-11-26T23:00:00", "Yesterday"],
    ["2026-11-19T12:00:00", "Thursday, November 19"],
    ["2025-11-27T12:00:00", "Thursday, November 27, 2025"],
  ])("the day of %s is %s", (at, words) => {
    expect(dayInWords(new Date(at), new Date("2026-11-27T12:00:00").getTime())).toBe(words);
  });
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
