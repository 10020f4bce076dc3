import { access } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { startTestApp } from "../../src/testing/start-test-app.js";
import { newBrokerSetUp } from "./testing/broker-set-up.js";

const app = await startTestApp({ DEMO: "on", RATE_LIMITS: "off" });
afterAll(() => app.end());

const hasKeys = (files: string) =>
  access(join(files, "unlocked.json")).then(
    () => true,
    () => false,
  );
const listed = z.object({ delegations: z.array(z.object({ id: z.string(), oauthClientId: z.string() })) });

describe("platform broker", () => {
  it("sends the request of an agent with the secret, up to the approved number, until it is stopped", async () => {
    const { startBroker, approveUses, send, upstream, port } = await newBrokerSetUp(app);
    const broker = await startBroker();
    expect(broker.line).toContain(`at http://127.0.0.1:${port}. Agents may use items of: Work.`);
    const token = await approveUses({ maxUses: 2 });
    expect(await send(token)).toEqual({ status: 200, reason: null, text: "done" });
    expect(await send(token)).toMatchObject({ status: 200 });
    expect(await send(token)).toMatchObject({ status: 403, reason: "DELEGATION_EXHAUSTED" });
    expect(upstream.count()).toBe(2);
    broker.child.kill("SIGINT");
    expect(await broker.ended).toMatchObject({ code: 0, err: "" });
  });

  it("asks the person each time: what they allow is sent and counted once, and the next request asks again", async () => {
    const { startBroker, approveUses, send, upstream, host, signIn, usesIn } = await newBrokerSetUp(app);
    await startBroker();
    const token = await approveUses({ maxUses: 5, asksEachTime: true });
    const asked = await send(token);
    expect(asked).toMatchObject({ status: 403, reason: "USE_NOT_CONFIRMED" });
    const { pathname, search, origin } = new URL(JSON.parse(asked.text).details[0].debug.metadata.page);
    const browser = await signIn();
    expect(origin).toBe(browser.origin);
    expect(await browser.send(pathname + search)).toMatchObject({ status: 200, body: expect.stringContaining(host) });
    expect(await send(token)).toMatchObject({ reason: "USE_NOT_CONFIRMED" });
    expect([upstream.count(), await usesIn(browser)]).toEqual([0, []]);
    const allowed = await browser.send(pathname + search, { form: { decision: "allow" } });
    expect(allowed).toMatchObject({ status: 200, body: expect.stringContaining("You have allowed this use") });
    expect(await send(token)).toMatchObject({ status: 200, text: "done" });
    expect(await send(token)).toMatchObject({ status: 403, reason: "USE_NOT_CONFIRMED" });
    expect(upstream.count()).toBe(1);
    expect(await usesIn(browser)).toMatchObject([{ event: `used at ${host}: 1 of 5` }]);
  });

  it("has no keys any more after platform lock, and says so", async () => {
    const { startBroker, approveUses, send, upstream, commandLine, files } = await newBrokerSetUp(app);
    await startBroker();
    const token = await approveUses();
    expect(await send(token)).toMatchObject({ status: 200 });
    expect(await hasKeys(files)).toBe(true);
    const out = "Locked: the keys of your vaults are removed from this computer.\n";
    expect(await commandLine.run("lock")).toEqual({ code: 0, out, err: "" });
    expect(await hasKeys(files)).toBe(false);
    expect(await send(token)).toMatchObject({ status: 423, reason: "LOCKED" });
    expect(upstream.count()).toBe(1);
  });

  it("removes the keys when the person has ended the program's access in Agents & apps, and sends nothing", async () => {
    const { startBroker, approveUses, send, upstream, files, signIn } = await newBrokerSetUp(app);
    await startBroker();
    const token = await approveUses();
    expect(await send(token)).toMatchObject({ status: 200 });
    const browser = await signIn();
    const { delegations } = listed.parse((await browser.send("/account/api/delegations")).body);
    // The newest first: earlier tests have signed in, too.
    const { id } = delegations.find(({ oauthClientId }) => oauthClientId === "platform-cli") ?? expect.unreachable();
    expect(await hasKeys(files)).toBe(true);
    const json = { kind: "software", id };
    expect(await browser.send("/account/api/access/end", { json })).toMatchObject({ status: 200 });
    // The platform rejects its token within 1 s.
    await expect.poll(() => send(token)).toMatchObject({ status: 423, reason: "LOCKED" });
    expect(await hasKeys(files)).toBe(false);
    const before = upstream.count();
    expect(await send(token)).toMatchObject({ status: 423, reason: "LOCKED" });
    expect(upstream.count()).toBe(before);
  });
});
