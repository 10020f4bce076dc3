import { VaultService } from "@platform-rpc/types";
import { afterAll, describe, expect, it } from "vitest";
import { readOperation } from "../../src/contract/operation.js";
import { seeder, startPlatform, tokenNames } from "./start-platform.js";

const test = await startPlatform({ limited: true });
afterAll(test.close);
const { platform } = test;
const operation = readOperation(VaultService.method.deleteItem);
const resource = platform.createResource("https://mcp.test/mcp");

/** Issues tokens of one grant: for the API, and for the resource. */
async function issue() {
  const { accessToken: api, grantId } = await platform.operations.issueAccessToken(
    {
      ...{ tenantId: "t-1", principalId: "p-owner", oauthClientId: "c-1", scopes: ["vault.items:delete"] },
      lifeSeconds: 0,
    },
    seeder,
  );
  const [grant = expect.unreachable()] = (
    await platform.operations.listGrants({ tenantId: "t-1", principalId: "p-owner" })
  ).filter((one) => one.grantId === grantId);
  return { api, own: await resource.signAccessToken(grant) };
}

const admitted = async (admit: typeof platform.admit, token: string) => {
  try {
    return await admit(`Bearer ${token}`, operation);
  } catch (thrown) {
    return Object(thrown).reason;
  }
};

describe("another resource of the platform (RFC 8707)", () => {
  it("accepts its own tokens only, and the API refuses them", async () => {
    const { api, own } = await issue();
    expect(await admitted(resource.admit, own)).toMatchObject({ principalId: "p-owner", oauthClientId: "c-1" });
    expect(await admitted(resource.admit, api)).toBe("UNAUTHENTICATED");
    expect(await admitted(platform.admit, own)).toBe("UNAUTHENTICATED");
    const another = platform.createResource("https://another.test/mcp");
    expect(await admitted(another.admit, own)).toBe("UNAUTHENTICATED");
  });

  it("counts its calls for the rates of the API", async () => {
    const { api, own } = await issue();
    const answers: unknown[] = [];
    for (let count = 0; count < 60; count += 1) {
      answers.push(await admitted(resource.admit, own), await admitted(platform.admit, api));
    }
    expect(answers.at(-1)).toBe("RATE_LIMITED");
    expect(answers.at(-2)).toBe("RATE_LIMITED");
  });

  it.each(["", tokenNames.audience, tokenNames.brokerAudience])("cannot have the audience %j", (audience) => {
    expect(() => platform.createResource(audience)).toThrow(TypeError);
  });
});
