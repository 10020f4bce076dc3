import { VaultService } from "@platform/types";
import { afterAll, it } from "vitest";
import { startDoor } from "./start-door.js";
import { requestBytes as rb, type WireRequest } from "./wire-request.js";

const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms));
const calls: string[] = [];
const d = await startDoor({
  routes: (r) => {
    r.service(VaultService, {
      async deleteItem(q) {
        calls.push(q.itemId);
        await sleep(q.baseVersion);
        return {};
      },
    });
  },
  limits: { receiveTimeoutMs: 600, drainMs: 500 },
});
afterAll(d.close);
const good = (itemId: string, wait = 0, more: WireRequest = {}) =>
  rb({ body: { vaultId: "v", itemId, baseVersion: wait }, ...more }).toString("latin1");
async function probe(name: string, bytes: string | string[], end = false, wait = 250) {
  const c = d.connect();
  calls.length = 0;
  for (const b of [bytes].flat()) {
    c.send(b);
    await sleep(10);
  }
  if (end) c.end();
  await sleep(wait);
  c.destroy();
  const rest = await c.closed;
  console.log(
    `## ${name}: [${calls}]\n` +
      rest
        .replace(
          /Date:.*\r\n|Content-Type:.*\r\n|Cache-Control.*\r\n|X-Request-Id:.*\r\n|date:.*\r\n|keep-alive:.*\r\n/gi,
          "",
        )
        .replaceAll(/"details".*/g, (x) => x.match(/"reason":"\w+"/)?.[0] ?? ""),
  );
}
it("probe", async () => {
  await probe("half close running", good("a", 100), true);
  await probe(
    "refused then pipelined good",
    good("a", 0, { headers: { "Connect-Protocol-Version": undefined } }) + good("second"),
  );
  await probe("running then CONNECT", good("a", 60) + "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n");
  await probe("CONNECT", "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n");
  await probe("CONNECT then pipelined", "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n" + good("b"));
  await probe("http/1.0 expect", good("a", 0, { httpVersion: "1.0", headers: { Expect: "100-continue" } }));
  await probe("http/1.1 expect", good("a", 0, { headers: { Expect: "100-continue" } }));
  await probe("http/1.1 expect other", good("a", 0, { headers: { Expect: "cookies" } }));
  await probe("http/1.1 expect pipelined after", good("a", 60) + good("b", 0, { headers: { Expect: "100-continue" } }));
  await probe("good + malformed", good("a", 60) + "BAD\r\n\r\n");
  await probe("good then slow head", [good("a"), "POST /x HTTP/1.1\r\nHo"], false, 1500);
}, 60000);
