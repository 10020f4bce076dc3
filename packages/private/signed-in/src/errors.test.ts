import { createClient } from "@connectrpc/connect";
import { createPlatformClient, createPlatformTransport } from "@platform-rpc/client";
import { createDeviceSession, createMemorySessionStore } from "@platform-rpc/client/session";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { describe, expect, it } from "vitest";
import { platformErrorOf } from "./errors.js";

const store = createMemorySessionStore();
const { token } = createDeviceSession({
  issuer: "https://accounts.example",
  resource: "https://api.example",
  clientId: "program",
  store,
});
const options = { baseUrl: "https://api.example", token, retry: { maxAttempts: 1 } };

describe("without a session, the error of the session is reported", () => {
  it.each([
    [
      "by the public API",
      () => createPlatformClient(options).vault.deleteItem({ vaultId: "v-1", itemId: "i-1", baseVersion: 1 }),
    ],
    [
      "by the API for members",
      () => createClient(MemberVaultService, createPlatformTransport(options)).listVaults({ pageSize: 1 }),
    ],
  ])("%s", async (_, call) => {
    const thrown = await call().catch((error: unknown) => error);
    expect(platformErrorOf(thrown)).toMatchObject({
      reason: "UNAUTHENTICATED",
      message: expect.stringContaining("There is no session. Log in first."),
    });
  });
});

it("other errors are not the platform's", () => {
  expect(platformErrorOf(new TypeError("x"))).toBeUndefined();
});
