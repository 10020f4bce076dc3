import * as connectEntry from "@platform-rpc/client";
import { isPlatformError, waitForDeviceAuthorization } from "@platform-rpc/client";
import * as jsonEntry from "@platform-rpc/client/json";
import { afterAll, describe, expect, it } from "vitest";
import { hostPlatform } from "../../src/testing/hosted-platform.js";

const platform = await hostPlatform();
afterAll(() => platform.end());

const entries = [
  { entry: "@platform-rpc/client", createPlatformClient: connectEntry.createPlatformClient },
  { entry: "@platform-rpc/client/json", createPlatformClient: jsonEntry.createPlatformClient },
];
const hosts = [
  { host: "@platform-rpc/server", where: "listener" },
  { host: "a stock Connect server", where: "stock" },
] as const;

describe.each(entries.flatMap((entry) => hosts.map((host) => ({ ...entry, ...host }))))(
  "$entry against $host, over a socket",
  ({ createPlatformClient, where }) => {
    const client = (token = platform.token) => createPlatformClient({ baseUrl: platform.baseUrls[where], token });
    const errorOf = async (call: Promise<unknown>) => {
      const error = await call.then(() => undefined).catch((thrown: unknown) => thrown);
      return isPlatformError(error) ? error : expect.unreachable("no PlatformError");
    };

    it("SPEC section 7: a field that breaks a rule is INVALID_FIELD, with the id of the request", async () => {
      const error = await errorOf(
        client().vault.deleteItem(
          { ...(await platform.newItem()), itemId: "-" },
          { headers: { "X-Request-Id": "mine" } },
        ),
      );
      expect(error).toMatchObject({ reason: "INVALID_FIELD", code: "invalid_argument", requestId: "mine" });
      expect(error.violations).toMatchObject([{ field: "itemId" }]);
      expect(error.docsUrl).toMatch(/\/errors\/INVALID_FIELD$/);
    });

    it("SPEC section 5: an invalid token is rejected, and the provider is called for a new one", async () => {
      const request = await platform.newItem();
      expect((await errorOf(client("none").vault.deleteItem(request))).reason).toBe("UNAUTHENTICATED");
      const reasons: string[] = [];
      const provider = createPlatformClient({
        baseUrl: platform.baseUrls[where],
        token: ({ reason }) => (reasons.push(reason) === 1 ? "none" : platform.token),
      });
      expect((await provider.vault.deleteItem(request)).item.deleted).toBe(true);
      expect(reasons).toEqual(["first", "rejected"]);
    });

    it("RFC 8628: the session of a device login calls the platform", async () => {
      const request = await platform.newItem();
      const { deviceCode, userCode } = await platform.startDevice();
      await platform.approveDevice(userCode);
      const session = await waitForDeviceAuthorization<{ accessToken: string }>(client(), deviceCode, {
        pollNow: true,
      });
      const agent = createPlatformClient({ baseUrl: platform.baseUrls[where], token: session.token });
      expect((await agent.vault.deleteItem(request)).item.version).toBe(2);
      expect(session.expiresAt.getTime() - Date.now()).toBeGreaterThan(800_000);
    });
  },
);

it("each entry recognizes the errors of the other", async () => {
  const error = await jsonEntry
    .createPlatformClient({ baseUrl: platform.baseUrls.listener, token: "none" })
    .vault.deleteItem({ vaultId: "v", itemId: "i", baseVersion: 1 })
    .catch((thrown: unknown) => thrown);
  expect(connectEntry.isPlatformError(error, "UNAUTHENTICATED")).toBe(true);
  expect(jsonEntry.isPlatformError(error, "UNAUTHENTICATED")).toBe(true);
});
