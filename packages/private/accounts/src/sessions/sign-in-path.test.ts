import { expect, it } from "vitest";
import { pathAfterSignIn, signInPath } from "./sign-in-path.js";

const origin = "https://accounts.example";

it.each([
  ["/device?user_code=WDJB-MJHT", "/device?user_code=WDJB-MJHT"],
  ["/a/../device", "/device"],
  [undefined, "/console"],
  ["", "/console"],
  ["https://evil.example/", "/console"],
  ["//evil.example/", "/console"],
  ["/\\evil.example/", "/console"],
  ["/\t/evil.example/", "/console"],
  ["/.//evil.example", "/console"],
  ["javascript:alert(1)", "/console"],
])("after sign-in with next=%j, the browser goes to %s", (next, path) => {
  expect(pathAfterSignIn(next, origin)).toBe(path);
});

it("the path of the sign-in page contains the next page", () => {
  expect(signInPath("/device?user_code=A")).toBe("/sign-in?next=%2Fdevice%3Fuser_code%3DA");
  expect(signInPath("/console", { again: true })).toBe("/sign-in?again=&next=%2Fconsole");
});
