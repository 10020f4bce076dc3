import { afterAll, describe, expect, it } from "vitest";
import { startPlatform } from "./start-platform.js";

const url = "https://api.example/.well-known/oauth-protected-resource";
const test = await startPlatform({ resourceMetadataUrl: url });
afterAll(test.close);
const body = { vaultId: "v-1", itemId: "i-1", baseVersion: 1 };
const challengeOf = async (Authorization: string | undefined) => {
  const answer = await test.send({ body, headers: { Authorization } });
  return [answer.status, answer.header("www-authenticate")];
};

describe("a listener with the URL of its metadata names it in every challenge (RFC 9728 section 5.1)", () => {
  it("without a token", async () => {
    expect(await challengeOf(undefined)).toEqual([401, `Bearer resource_metadata="${url}"`]);
  });

  it("without a scope that the operation requires", async () => {
    const { accessToken } = await test.issue({ scopes: [] });
    expect(await challengeOf(`Bearer ${accessToken}`)).toEqual([
      403,
      `Bearer error="insufficient_scope", scope="vault.items:delete", resource_metadata="${url}"`,
    ]);
  });
});
