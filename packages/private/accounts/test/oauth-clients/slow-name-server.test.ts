import { isPublicAddress } from "@platform-rpc/front/resolve-host";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { post, textOf } from "../../src/oauth/testing/oauth-calls.js";
import { fetchDocument } from "../../src/oauth-clients/fetch-document.js";
import { serveSite } from "../../src/testing/serve-site.js";
import { startDocumentServer } from "./testing/document-server.js";
import { startNameServer } from "./testing/name-server.js";

/** Replaces the limit of 2 s for each lookup: the test ends it, however fast this machine is. */
function controlLookups() {
  const lookups: AbortController[] = [];
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const spy = vi.spyOn(AbortSignal, "timeout").mockImplementation((milliseconds) => {
    if (milliseconds !== 2_000) return timeout(milliseconds);
    const lookup = new AbortController();
    lookups.push(lookup);
    return lookup.signal;
  });
  onTestFinished(() => spy.mockRestore());
  return {
    begun: () => lookups.length,
    endAll() {
      for (const lookup of lookups) lookup.abort(new DOMException("the time is over", "TimeoutError"));
    },
  };
}

/** Serves a site whose name server never answers for `slow.example`. */
async function setUp() {
  const documents = await startDocumentServer(({ headers, url }, response) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ client_id: `https://${headers.host?.split(":")[0]}${url}`, client_name: "Agent" }));
  });
  onTestFinished(documents.close);
  const nameServer = await startNameServer((host) => {
    return host === "slow.example" ? undefined : ["127.0.0.1"];
  });
  const options = {
    ...documents.trust,
    nameServers: [nameServer.address],
    // Longer than the test: the limit of the lookup ends it.
    nameServerTimeoutMs: 600_000,
    isAllowed: (address: string) => address === "127.0.0.1" || isPublicAddress(address),
  };
  const lookups = controlLookups();
  const site = await serveSite({ clientIdMetadata: true, fetchDocument: (url) => fetchDocument(url, options) });
  return {
    nameServer,
    lookups,
    start(url: string, address = "192.0.2.1") {
      return post(`${site.origin}/oauth/device_authorization`, { client_id: url }, { "X-Real-IP": address });
    },
  };
}

describe("DECISIONS section 7: client metadata documents of a name server that never answers", () => {
  it("delay only their own network, which gets 4 lookups at a time, each for 2 s, and remembers failures", async () => {
    const { start, nameServer, lookups } = await setUp();
    const slow = [1, 2, 3, 4, 5, 6].map((n) => `https://slow.example/${n}.json`);
    let answered = 0;
    const answers = slow.map(async (url, host) => {
      const answer = await start(url, `2001:db8::${host}`);
      answered += 1;
      return answer;
    });
    await expect.poll(() => nameServer.asked().length).toBeGreaterThanOrEqual(8);

    const other = await start("https://app.example/client.json", "2001:db8:0:1::1");
    expect([other.status, other.json.error]).toEqual([200, undefined]);
    await expect.poll(() => answered).toBe(2);
    // Those of the network and the other one.
    expect(lookups.begun()).toBe(5);

    lookups.endAll();
    const all = await Promise.all(answers);
    const rejected = all.filter(({ status }) => status === 429);
    expect(rejected.map(({ json, headers }) => [json.error, headers.get("retry-after")])).toEqual(
      Array.from({ length: 2 }, () => ["temporarily_unavailable", "2"]),
    );
    const failed = all.filter(({ status }) => status === 401);
    expect(failed).toHaveLength(4);
    for (const answer of failed) {
      expect(answer.json.error).toBe("invalid_client");
      expect(textOf(answer, "error_description")).toMatch(/did not arrive within 2 s/);
    }

    const asked = nameServer.asked().length;
    const again = await Promise.all(slow.filter((_, at) => all[at]?.status === 401).map((url) => start(url)));
    expect(again.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    expect(nameServer.asked()).toHaveLength(asked);
    // Another of its documents can be looked up again.
    expect((await start("https://app.example/other.json", "2001:db8::1")).status).toBe(200);
  });
});
