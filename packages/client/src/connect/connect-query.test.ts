import { callUnaryMethod } from "@connectrpc/connect-query-core";
import { VaultService } from "@platform-rpc/types";
import { MutationObserver, QueryClient } from "@tanstack/query-core";
import { describe, expect, it } from "vitest";
import { createPlatformTransport, isPlatformError } from "../index.js";
import { createFakePlatform } from "../testing/index.js";

const request = { vaultId: "vault-1", itemId: "item-1", baseVersion: 1 };

/** What `useMutation(VaultService.method.deleteItem)` of connect-query does, without a framework. */
function deletion() {
  const platform = createFakePlatform();
  platform.putItem(request);
  const transport = createPlatformTransport(platform.options);
  const mutation = new MutationObserver(new QueryClient(), {
    mutationFn: (input: typeof request) => callUnaryMethod(transport, VaultService.method.deleteItem, input),
  });
  return { platform, mutation };
}

describe("connect-query over createPlatformTransport", () => {
  it("fails with a ConnectError whose cause isPlatformError narrows", async () => {
    const { platform, mutation } = deletion();
    platform.conflictNext();
    await expect(mutation.mutate(request)).rejects.toThrow();
    const { error, isError } = mutation.getCurrentResult();
    expect(isError).toBe(true);
    const currentVersion = isPlatformError(error?.cause, "VERSION_CONFLICT")
      ? error.cause.detail.currentVersion
      : undefined;
    expect(currentVersion).toBe(2);
  });
});
