import { PlatformError } from "@platform-rpc/client";
import { ProgramError } from "@platform-rpc/signed-in";
import { expect, it } from "vitest";
import { exitCode, explain } from "./explain.js";

const base = { message: "It failed.", requestId: "r-1", retryable: false } as const;

it("a session that has ended names the command that signs in again", () => {
  const error = new PlatformError({ ...base, reason: "UNAUTHENTICATED", code: "unauthenticated", detail: undefined });
  expect(explain(error)).toEqual({
    message: "It failed.\nRun: platform login",
    code: exitCode.notSignedIn,
    reason: "UNAUTHENTICATED",
    requestId: "r-1",
  });
});

it("a scope that was not approved names the command that asks for it again", () => {
  const error = new PlatformError({
    ...base,
    reason: "INSUFFICIENT_SCOPE",
    code: "permission_denied",
    detail: undefined,
  });
  expect(explain(error)).toMatchObject({
    message: "It failed.\nRun: platform login --scope <scope>, and approve it.",
    code: exitCode.failed,
  });
});

const cursor = { vaultId: "v-1", sequence: 9 };
const conflict = { itemId: "i-1", baseVersion: 6, currentVersion: 7, deleted: false, cursor };
const failed = (reason: "NETWORK_ERROR" | "CANCELED" | "INTERNAL") =>
  new PlatformError({ ...base, reason, code: "unknown", detail: undefined });
it.each<[thrown: Error, code: number]>([
  [new PlatformError({ ...base, reason: "VERSION_CONFLICT", code: "aborted", detail: conflict }), 4],
  [failed("NETWORK_ERROR"), 5],
  [failed("CANCELED"), 130],
  [failed("INTERNAL"), 1],
  [new ProgramError("usage", "usage"), 2],
  [new ProgramError("not signed in", "not signed in"), 3],
  [new ProgramError("unreachable", "unreachable"), 5],
  [new ProgramError("locked", "locked"), 6],
])("%s ends the program with %d", (thrown, code) => {
  expect(explain(thrown).code).toBe(code);
});

it("a call without a token because of the session's file reports the file", () => {
  const cause = new ProgramError("The session cannot be saved in session.json: ENOSPC");
  const error = new PlatformError({ ...base, reason: "TOKEN_UNAVAILABLE", code: "internal", detail: undefined, cause });
  expect(explain(error)).toEqual({ message: cause.message, code: exitCode.failed });
});

const page = "https://accounts.example/console/agents";
it.each([
  ["It failed.", page, `\nTo allow more deletions, open ${page}`],
  [`Ask the person to give more at ${page}, then call again.`, page, ""],
  ["It failed.", "", ""],
])("a used budget names the page where the person allows more, once: %s %s", (message, page, advice) => {
  const detail = { allowed: 10, used: 10, page };
  const init = { ...base, message, reason: "DELEGATION_EXHAUSTED", code: "permission_denied", detail } as const;
  expect(explain(new PlatformError(init))).toMatchObject({ message: message + advice, code: exitCode.failed });
});

it("an error of the operating system is not reported as a bug of the program", () => {
  const error = Object.assign(new Error("EACCES: permission denied"), { syscall: "open" });
  expect(explain(error)).toEqual({ message: "EACCES: permission denied", code: exitCode.failed });
  expect(explain(new RangeError("x")).message).toContain("This is a bug of this program");
});
