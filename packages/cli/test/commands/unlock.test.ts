import { expect, it } from "vitest";
import { listen, platform, signedIn } from "../testing/run-program.js";

/** A token with the claims that the program reads. It is not verified here. */
const accessToken = ["e30", { sub: "ada", tenant_id: "acme", client_id: "platform-cli", scope: "", exp: 0 }, "x"]
  .map((part) => (typeof part === "string" ? part : Buffer.from(JSON.stringify(part)).toString("base64url")))
  .join(".");

it("a login with limits gets no keys, and is told why", async () => {
  const { url } = await listen((_request, response) => {
    const debug = { reason: "VAULT_NOT_FOUND", domain: "platform.v1", metadata: {} };
    const details = [{ type: "google.rpc.ErrorInfo", debug }];
    response
      .writeHead(404, { "Content-Type": "application/json" })
      .end(JSON.stringify({ code: "not_found", message: "The vault does not exist.", details }));
  });
  const folder = await signedIn(url, { accessToken });
  const { code, err } = await platform(["unlock"], { PLATFORM_CONFIG_DIR: folder });
  expect([code, err]).toEqual([1, expect.stringContaining("Your login has limits, and gets no keys of vaults.")]);
});
