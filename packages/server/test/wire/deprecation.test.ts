import { createServer } from "node:http";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { listen } from "@platform-rpc/front";
import { afterAll, describe, expect, it } from "vitest";
import { connectHostOptions } from "../../src/http/connect-host.js";

import type { Routes } from "../../src/services/routes.js";
import { completeOptions, deleteItemWithOptions } from "./delete-item-with-options.js";
import { anyCaller, startListener } from "./start-listener.js";

const method = deleteItemWithOptions(
  { ...completeOptions, deprecation: { deprecatedOn: "2027-01-01", sunsetOn: "2027-06-30" } },
  true,
);
const routes: Routes = (router) => {
  router.rpc(method, async () => ({}));
};
const test = await startListener({ routes });
const host = createServer(connectNodeAdapter(connectHostOptions({ routes, admit: () => anyCaller })));
const { port } = await listen(host, { port: 0, host: "127.0.0.1", backlog: 1 });
afterAll(async () => {
  host.close();
  host.closeAllConnections();
  await test.close();
});

describe("every response of a deprecated operation has Deprecation, Sunset and a link to its page (DECISIONS 8, RFC 9745, RFC 8594)", () => {
  it.each([
    ["a success", test.url, "{}", 200],
    ["a failure", test.url, "not json", 400],
    ["a success in a stock Connect host", `http://127.0.0.1:${port}`, "{}", 200],
  ])("%s", async (_, url, body, status) => {
    const answer = await fetch(`${url}/platform.v1.VaultService/DeleteItem`, {
      method: "POST",
      headers: { Authorization: "Bearer t", "Content-Type": "application/json", "Connect-Protocol-Version": "1" },
      body,
    });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("Deprecation")).toBe("@1798761600");
    expect(answer.headers.get("Sunset")).toBe("Wed, 30 Jun 2027 00:00:00 GMT");
    const [, target = "", relation] = /^<([^>]+)>; rel="([^"]+)"/.exec(answer.headers.get("Link") ?? "") ?? [];
    expect(relation).toBe("deprecation");
    expect(new URL(target, answer.url).href).toBe(`${url}/docs/api/operations/DeleteItem`);
    expect(new URL(target, "https://api.example/base/platform.v1.VaultService/DeleteItem").pathname).toBe(
      "/base/docs/api/operations/DeleteItem",
    );
  });
});
