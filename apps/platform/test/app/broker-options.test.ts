import { hash } from "node:crypto";
import { newKey } from "@platform-rpc/accounts/oauth/testing/oauth-calls";
import { afterAll, expect, it } from "vitest";
import { startTestApp } from "../../src/testing/start-test-app.js";
import { newBrokerSetUp } from "./testing/broker-set-up.js";

const app = await startTestApp({ DEMO: "on", RATE_LIMITS: "off" });
afterAll(() => app.end());

it.each([
  ["its own address", [], undefined],
  ["the URL of --public-url", ["--public-url", "https://broker.example/agents/"], "https://broker.example/agents"],
])("with --host, a broker listens only there, and accepts DPoP proofs only for %s", async (_, options, publicUrl) => {
  const { startBroker, approveUses, send, upstream, host, port } = await newBrokerSetUp(app);
  const at = `http://[::1]:${port}`;
  const url = publicUrl ?? at;
  expect((await startBroker("--host", "::1", ...options)).line).toContain(` at ${url}. `);
  const key = newKey();
  const token = await approveUses({}, key);
  const sendWith = async (htu: string) => {
    const proof = await key.prove(htu, { htm: "GET", ath: hash("sha256", token, "base64url") });
    return send(token, { at, headers: { Authorization: `DPoP ${token}`, DPoP: proof } });
  };
  for (const other of ["https://other.example", `http://127.0.0.1:${port}`, ...(publicUrl ? [at] : [])])
    expect(await sendWith(`${other}/${host}/path`)).toMatchObject({ status: 401 });
  expect(await sendWith(`${url}/${host}/path`)).toMatchObject({ status: 200 });
  expect(upstream.count()).toBe(1);
  await expect(send(token)).rejects.toThrow("fetch failed");
});
