import { PlatformError } from "@platform-rpc/client";
import { expect, it } from "vitest";
import { AccountError } from "../session/account-error.js";
import { explain, ItemError } from "./explain.js";

function platformError(reason: string, cause?: unknown): PlatformError {
  const init = {
    code: "unknown",
    message: reason,
    requestId: "r",
    retryable: false,
    detail: undefined,
    cause,
  } as const;
  // Private operations have reasons that the client does not list.
  return Object.assign(new PlatformError({ reason: "NETWORK_ERROR", ...init }), {
    reason,
    docsUrl: `https://docs.example/${reason}`,
  });
}

const noToken = new AccountError("RATE_LIMITED", "Wait a few minutes.", "a");

it.each([
  [
    "an error of the platform, with its page",
    platformError("ITEM_NOT_FOUND"),
    { reason: "ITEM_NOT_FOUND", requestId: "r", docsUrl: "https://docs.example/ITEM_NOT_FOUND" },
  ],
  [
    "the cause of a ConnectError",
    new Error("connect", { cause: platformError("UNAVAILABLE") }),
    { reason: "UNAVAILABLE", requestId: "r", docsUrl: "https://docs.example/UNAVAILABLE" },
  ],
  [
    "the error of the accounts origin that gave no token",
    platformError("TOKEN_UNAVAILABLE", noToken),
    { reason: "RATE_LIMITED", requestId: "a", docsUrl: undefined },
  ],
  [
    "the reason of an item of a call with others",
    new ItemError("ITEM_NOT_FOUND"),
    { reason: "ITEM_NOT_FOUND", requestId: "", docsUrl: undefined },
  ],
  ["an error without a response, with its message only", new AccountError("", "The server did not answer."), undefined],
])("explains %s", (_, error, reference) => {
  expect(explain(error).reference).toEqual(reference);
  expect(explain(error).message).toMatch(/^[A-Z][a-z].*\.$/);
});
