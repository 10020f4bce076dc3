import { describe, expect, it } from "vitest";
import { type Finding, failure, unjudged } from "./model/finding.ts";
import { asAnnotation, asText, exitCodeOf, summary } from "./report.ts";

const fails = failure("scope-added", { file: "proto/a,b.proto", line: 3, column: 5 }, "100 %\nof it: gone, all");
const noted: Finding = { ...fails, verdict: "noted", change: "additive" };
const nothing = unjudged("baseline", "released", "no baseline");

it("escapes characters that GitHub's workflow commands would interpret", () => {
  expect(asAnnotation(fails)).toBe(
    "::error file=proto/a%2Cb.proto,line=3,col=5,title=scope-added::100 %25%0Aof it: gone, all",
  );
  expect(asAnnotation(noted)).toMatch(/^::notice /);
});

it("shows the place, the severity and the rule", () => {
  expect(asText(noted)).toBe("proto/a,b.proto:3:5 note (additive, scope-added)\n  100 %\n  of it: gone, all");
});

describe("the most severe finding decides", () => {
  it.each<[string, readonly Finding[], number, string]>([
    ["nothing", [], 0, "contract check: passed"],
    ["notes alone", [noted, noted], 0, "contract check: passed"],
    ["a failure among notes", [noted, fails], 1, "contract check: FAILED, 1 to fix"],
    ["a check that could not run", [fails, nothing], 3, "contract check: NOT CHECKED"],
  ])("%s", (_what, findings, code, line) => {
    expect(exitCodeOf(findings)).toBe(code);
    expect(summary("check", findings)).toBe(line);
  });
});
