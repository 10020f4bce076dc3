import { describe, expect, it } from "vitest";
import { testOperation } from "../model/testing/test-contract.ts";
import { publishedApis } from "./openapi/published-api.ts";
import { operationPages, parseChangelog } from "./operation-pages.ts";
import { everyType } from "./testing/every-type.ts";

const base = everyType();
const name = "platform.v1.EveryService/Call";

function pageOf(changelog = parseChangelog(""), operations = base.operations): string {
  const [api] = publishedApis({ ...base, operations });
  if (api === undefined) throw new Error("the contract has no published package");
  return operationPages(api, changelog).get("Call.md") ?? "";
}

describe("the page of an operation", () => {
  it("says which version changed it", () => {
    const changelog = parseChangelog("## 1.1.0\n\n- 0a1b2c3: Call is faster.\n\n## 1.0.0\n\n- 4d5e6f7: First.\n");
    expect(pageOf(changelog)).toContain("## Changes\n\n- **1.1.0**: Call is faster.\n");
    expect(pageOf(changelog.slice(1))).toContain("## Changes\n\nNone since the first release.\n");
    expect(pageOf()).toContain("## Changes\n\nThe contract is not released yet.\n");
  });

  it.each([
    ["a field of a message in its messages", "`Tree.left` is new.", true],
    ["a value of an enum in its messages", "`Kind.NOTE` is new.", true],
    ["a message that it does not use", "`Leaf.left` is new.", false],
  ])("lists a change of %s: %s", (_what, text, isListed) => {
    const changelog = parseChangelog(`## 1.1.0\n\n- 0a1b2c3: ${text}\n\n## 1.0.0\n\n- 4d5e6f7: First.\n`);
    expect(pageOf(changelog).includes(`- **1.1.0**: ${text}`)).toBe(isListed);
  });

  it("says first that the operation is deprecated, and until when it is served (DECISIONS 8)", () => {
    const deprecation = { deprecatedOn: "2027-01-01", sunsetOn: "2027-06-30" };
    const operations = new Map([[name, testOperation(name, { deprecated: true, deprecation })]]);
    expect(pageOf(undefined, operations)).toMatch(
      /^# Call\n\n.*\n\n\*\*Deprecated\*\* since 2027-01-01\. It is served until 2027-06-30 at least\.\n/,
    );
  });

  it("is not shared by two operations", () => {
    const other = "platform.v1.OtherService/Call";
    const operations = new Map([...base.operations, [other, testOperation(other)]]);
    expect(() => pageOf(undefined, operations)).toThrow("two operations of platform.v1 are named Call");
  });
});
