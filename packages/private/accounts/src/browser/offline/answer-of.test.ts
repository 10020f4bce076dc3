import { expect, it } from "vitest";
import { answerOf } from "./answer-of.js";

const origin = "https://accounts.example";
const files = { "/console/assets/list-abcd1234.js": "sha256-1", "/assets/session.js?abcd1234": "sha256-2" };

it.each([
  ["navigate", "/console", "page"],
  ["navigate", "/console/vaults/v-1?item=v-1%2Fi-1", "page"],
  ["no-cors", "/console", undefined],
  ["cors", "/console/assets/list-abcd1234.js", "file"],
  ["cors", "/assets/session.js?abcd1234", "file"],
  // Of another build.
  ["cors", "/assets/session.js", undefined],
  ["cors", "/console/assets/list-efgh5678.js", undefined],
  ["navigate", "/console/assets/page-efgh5678.html", undefined],
  ["navigate", "/consoles", undefined],
  ["navigate", "/", undefined],
  ["navigate", "/sign-in?next=/console", undefined],
  ["navigate", "/sign-out", undefined],
  ["navigate", "/device?user_code=WDJB-MJHT", undefined],
  ["navigate", "/oauth/authorize?client_id=x", undefined],
  ["navigate", "/reset", undefined],
  ["cors", "/account/api/session", undefined],
  ["cors", "/account/api/token", undefined],
  ["cors", "/platform.accounts.v1.MemberVaultService/ListChanges", undefined],
  ["cors", "/toString", undefined],
] as const)("a request (%s) of %s is answered by the worker as: %s", (mode, path, answer) => {
  const asked = { method: "GET", mode, url: origin + path };
  expect(answerOf(asked, { files }, origin)).toBe(answer);
  expect(answerOf({ ...asked, method: "POST" }, { files }, origin)).toBeUndefined();
  expect(answerOf({ ...asked, url: `https://evil.example${path}` }, { files }, origin)).toBeUndefined();
});
