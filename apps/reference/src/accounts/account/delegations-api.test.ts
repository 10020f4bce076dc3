import { describe, expect, it, onTestFinished } from "vitest";
import { createAccountsSite } from "../testing/accounts-site.js";
import { approveAgent } from "../testing/approve-agent.js";
import { signUpPerson } from "../testing/person.js";
import type { SiteBrowser } from "../testing/site-browser.js";

async function setUp() {
  const site = await createAccountsSite();
  onTestFinished(site.close);
  const person = await signUpPerson(site);
  const agent = await approveAgent(site, person.accountId, { vaults: ["v-1"], maxDeletions: 10 });
  return { site, person, agent, browser: person.browser };
}

const list = async (browser: SiteBrowser) => Object((await browser.send("/account/api/delegations")).body).delegations;
const change = (browser: SiteBrowser, json: unknown) => browser.send("/account/api/delegations/change", { json });
const end = (browser: SiteBrowser, json: unknown) => browser.send("/account/api/delegations/end", { json });
const ended = { status: 409, body: { reason: "APPROVAL_ENDED" } };

describe("what a person has delegated", () => {
  it("is listed with its bounds, what was used of them, the software, and its last use", async () => {
    const { site, browser, agent, person } = await setUp();
    await approveAgent(site, person.accountId);
    const { status, headers } = await browser.send("/account/api/delegations");
    expect({ status, cache: headers.get("Cache-Control") }).toEqual({ status: 200, cache: "no-store" });
    expect(await list(browser)).toEqual([
      {
        id: agent.familyId,
        name: "<Agent>",
        oauthClientId: "agent",
        scopes: [{ scope: "vault.items:delete", words: expect.stringContaining("Delete items") }],
        renewable: true,
        bounds: { vaults: ["v-1"], maxDeletions: 10 },
        used: { deletions: 0 },
        approvedAt: expect.stringMatching(/Z$/),
        lastUsedAt: expect.stringMatching(/Z$/),
        endsAt: expect.stringMatching(/Z$/),
      },
    ]);
  });

  it("is widened and narrowed by the person: the new bounds replace the old ones", async () => {
    const { site, browser, agent } = await setUp();
    const expiresAt = new Date(site.clock.now() + 3_600_000).toISOString();
    const bounds = { maxDeletions: 20, actions: ["read", "delete"], expiresAt };
    const changed = await change(browser, { id: agent.familyId, bounds });
    expect(changed).toMatchObject({ status: 200, body: { bounds, used: { deletions: 0 } } });
    expect(await list(browser)).toMatchObject([{ bounds, endsAt: expiresAt }]);
    expect((await list(browser))[0].bounds).not.toHaveProperty("vaults");
  });

  it("is ended by the person: its token is rejected within 1 s, it gets no other, and it cannot be changed", async () => {
    const { site, browser, agent } = await setUp();
    expect(await site.authenticator.authenticate(agent.accessToken)).toBeDefined();
    expect(await end(browser, { id: agent.familyId })).toMatchObject({ status: 200 });
    expect(await list(browser)).toEqual([]);
    site.pass(1_000);
    expect(await site.authenticator.authenticate(agent.accessToken)).toBeUndefined();
    expect(await agent.refresh()).toMatchObject({ ok: false });
    expect(await change(browser, { id: agent.familyId, bounds: {} })).toMatchObject(ended);
  });

  it("is not listed any more when the person has ended the access of the software", async () => {
    const { browser, agent } = await setUp();
    await browser.send("/account/api/access/end", { json: { kind: "software", id: agent.familyId } });
    expect(await list(browser)).toEqual([]);
  });

  it("of another person is neither listed, changed nor ended", async () => {
    const { site, browser, agent } = await setUp();
    const other = await signUpPerson(site);
    expect(await list(other.browser)).toEqual([]);
    expect(await change(other.browser, { id: agent.familyId, bounds: {} })).toMatchObject(ended);
    await end(other.browser, { id: agent.familyId });
    expect(await list(browser)).toMatchObject([{ bounds: { maxDeletions: 10 } }]);
    expect(await agent.refresh()).toMatchObject({ ok: true });
  });
});

describe("the endpoints of delegations", () => {
  it("need a session, and a sign-in within 5 minutes for changes", async () => {
    const { site, browser, agent } = await setUp();
    const stranger = site.openBrowser();
    expect(await stranger.send("/account/api/delegations")).toMatchObject({ status: 401 });
    expect(await change(stranger, { id: agent.familyId, bounds: {} })).toMatchObject({ status: 401 });
    site.pass(5 * 60_000);
    const again = { status: 401, body: { reason: "SIGN_IN_AGAIN" } };
    expect(await change(browser, { id: agent.familyId, bounds: {} })).toMatchObject(again);
    expect(await end(browser, { id: agent.familyId })).toMatchObject(again);
    expect(await list(browser)).toMatchObject([{ bounds: { maxDeletions: 10 } }]);
  });

  it.each([
    {},
    { bounds: {} },
    { id: "", bounds: {} },
    { id: "x", bounds: { maxDeletions: -1 } },
    { id: "x", bounds: { maxDeletions: 1.5 } },
    { id: "x", bounds: { maxDeletions: 4_294_967_296 } },
    { id: "x", bounds: { actions: ["shred"] } },
    { id: "x", bounds: { actions: [] } },
    { id: "x", bounds: { actions: ["read", "read"] } },
    { id: "x", bounds: { vaults: ["a b"] } },
    { id: "x", bounds: { vaults: [] } },
    { id: "x", bounds: { vaults: ["v-1", "v-1"] } },
    { id: "x", bounds: { vaults: Array.from({ length: 21 }, (_, index) => `v-${index}`) } },
    { id: "x", bounds: { expiresAt: "tonight" } },
    { id: "x", bounds: { expiresAt: 1 } },
  ])("reject the change %j", async (json) => {
    const { browser, agent } = await setUp();
    const own = "id" in json && json.id !== "" ? { ...json, id: agent.familyId } : json;
    expect(await change(browser, own)).toMatchObject({ status: 400, body: { reason: "INVALID_REQUEST" } });
    expect(await list(browser)).toMatchObject([{ bounds: { vaults: ["v-1"], maxDeletions: 10 } }]);
  });
});
