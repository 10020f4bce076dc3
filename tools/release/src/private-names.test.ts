import { describe, expect, it } from "vitest";
import { forbiddenIn } from "./private-names.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("nothing private, unfinished or local is published: DECISIONS section 1", () => {
  it.each([
    ["a name", 'export const name = "platform.internal.v1.Vault";', "the private contract"],
    ["a path in a source map", '{"sources":["../src/gen/platform/internal/v1/error_pb.ts"]}', "the private contract"],
    ["a package", 'import "@platform-rpc/types-internal";', "the package of the private contract"],
    ["a service", "VaultAdminService", "a private service"],
    ["a service of its own", "new DeviceAuthorizationService()", "a private service"],
    ["a descriptor", `fileDesc("${base64("\n platform/internal/v1/error.proto")}")`, "the private contract"],
    [
      "a descriptor in a source map",
      `"fileDesc(\\"${base64("xxplatform.internal.v1.Error")}\\")"`,
      "the private contract",
    ],
    ["unfinished work", `// ${"TO"}DO later`, "unfinished work"],
    ["a path", "at file (/home/someone/project/index.ts)", "a machine's path"],
    ["a placeholder", 'const docs = "https://docs.platform.example/errors";', "a placeholder"],
    ["a workspace range", '"@platform-rpc/types": "workspace:^"', "a version that is valid only in the workspace"],
  ])("%s", (_case, text, what) => {
    expect(forbiddenIn(text, "index.js")).toEqual([expect.stringContaining(what)]);
  });

  it("accepts the public contract, and the URLs of examples", () => {
    const text = `https://api.example.com https://example-docs.dev VaultService ExchangeMcpOauthDeviceAuthorization ${base64("\n platform/v1/error.proto platform.v1")}`;
    expect(forbiddenIn(text, "index.js")).toEqual([]);
    expect(forbiddenIn("baseUrl: https://platform.example", "index.d.ts")).toEqual([]);
  });
});
