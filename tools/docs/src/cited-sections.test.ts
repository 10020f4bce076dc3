import { describe, expect, it } from "vitest";
import { citedIn, readCitations, readSections, sectionsOf } from "./cited-sections.ts";

// Variables, so that this table itself contains no citations.
const spec = "SPEC";
const decisions = "DECISIONS";

describe("a citation is read", () => {
  it.each([
    { how: "in full", text: `@see ${spec} section 4.1`, cited: ["SPEC 4.1"] },
    { how: "as titles shorten it", text: `${spec} 5 and ${decisions} 6: no`, cited: ["SPEC 5", "DECISIONS 6"] },
    { how: "with two sections", text: `(${decisions} sections 2 and 8)`, cited: ["DECISIONS 2", "DECISIONS 8"] },
    { how: "with a rule", text: `${decisions} 3, rule 1: one body`, cited: ["DECISIONS 3", "DECISIONS 3.1"] },
    {
      how: "with several rules",
      text: `${decisions} section 3, rules 3 to 6`,
      cited: ["DECISIONS 3", "DECISIONS 3.3", "DECISIONS 3.6"],
    },
    { how: "next to that of an RFC", text: `${decisions} 7, RFC 8628 section 5.1`, cited: ["DECISIONS 7"] },
  ])("$how", ({ text, cited }) => {
    expect(citedIn(text)).toEqual(cited);
  });

  it("its section is a numbered heading, or an item of a numbered list below one", () => {
    const page = "# A\n## 4. B\n### 4.1 C\n5 days.\n## 5. D\n1. one\n2. two\n## E\n1. three\n";
    expect(sectionsOf(page)).toEqual(["4", "4.1", "5", "5.1", "5.2"]);
  });
});

describe("every cited section exists", () => {
  const sections = readSections();
  const citations = [...readCitations()].map(([cited, path]) => ({ cited, path })).sort(byCitation);

  it("both pages are cited", () => {
    const pages = new Set(citations.map(({ cited }) => cited.split(" ")[0]));
    expect([...pages].sort()).toEqual([decisions, spec]);
  });

  it.each(citations)("$cited, as in $path", ({ cited }) => {
    expect(sections).toContain(cited);
  });
});

function byCitation(a: { cited: string }, b: { cited: string }): number {
  return a.cited.localeCompare(b.cited);
}
