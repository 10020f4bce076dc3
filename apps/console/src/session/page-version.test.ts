import { describe, expect, it } from "vitest";
import { type PageVersions, shouldReload } from "./page-version.js";

const updated: PageVersions = { shown: "old.js", served: "new.js", reloadedFor: null, typed: false };

describe("a page whose script could not be loaded", () => {
  it.each<readonly [string, Partial<PageVersions>, boolean]>([
    ["the server has another version", {}, true],
    ["it was reloaded for an earlier version", { reloadedFor: "old.js" }, true],
    ["the server has the same version", { served: "old.js" }, false],
    ["it was reloaded for this version already", { reloadedFor: "new.js" }, false],
    ["the server does not answer", { served: undefined }, false],
    ["the person has typed something", { typed: true }, false],
  ])("if %s: reloads itself: %s", (_, changes, reloads) => {
    expect(shouldReload({ ...updated, ...changes })).toBe(reloads);
  });
});
