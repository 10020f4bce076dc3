import * as connectEntry from "@platform-rpc/client";
import * as jsonEntry from "@platform-rpc/client/json";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostPlatform } from "../testing/hosted-platform.js";

let platform: Awaited<ReturnType<typeof hostPlatform>>;
beforeAll(async () => {
  platform = await hostPlatform();
});
afterAll(() => platform.end());

describe.each([
  { entry: "@platform-rpc/client", createPlatformClient: connectEntry.createPlatformClient },
  { entry: "@platform-rpc/client/json", createPlatformClient: jsonEntry.createPlatformClient },
])("$entry", ({ createPlatformClient }) => {
  it("lists the items of a vault", async () => {
    const { vaultId, itemId } = await platform.newItem();
    const client = createPlatformClient({ baseUrl: platform.baseUrls.listener, token: platform.token });
    const page = await client.item.listItems({ vaultId });
    expect(page.items.map((item) => item.itemId)).toEqual([itemId]);
    expect(page.items[0]?.encryptedPayload.ciphertext).toBe("c2VjcmV0");
    expect(page.nextPageToken).toBe("");
  });
});
