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

it("a conflict ends the program with 4, and names the version to look at", () => {
  const cursor = { vaultId: "v-1", sequence: 9 };
  const detail = { itemId: "i-1", baseVersion: 6, currentVersion: 7, deleted: false, cursor };
  const init = { ...base, reason: "VERSION_CONFLICT", code: "aborted", detail } as const;
  expect(explain(new PlatformError(init))).toMatchObject({ code: 4, message: expect.stringContaining("--version 7") });
});

it.each([
  ["UNAUTHENTICATED", 3],
  ["NETWORK_ERROR", 5],
  ["CANCELED", 130],
  ["INTERNAL", 1],
] as const)("%s ends the program with %d", (reason, code) => {
  expect(explain(new PlatformError({ ...base, reason, code: "unknown", detail: undefined })).code).toBe(code);
});

it.each([
  ["usage", 2],
  ["not signed in", 3],
  ["unreachable", 5],
  ["locked", 6],
  ["failed", 1],
] as const)("an error of the program, %s, ends it with %d", (kind, code) => {
  expect(explain(new ProgramError("It failed.", kind)).code).toBe(code);
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
