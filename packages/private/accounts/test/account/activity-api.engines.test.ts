import { describe, expect, it } from "vitest";
import { ownCall } from "../../src/http/own-call.js";
import { approveAgent } from "../../src/testing/approve-agent.js";
import { content } from "../../src/testing/item-content.js";
import { openSiteOfPerson, signUpPerson } from "../../src/testing/person.js";
import type { SiteBrowser } from "../../src/testing/site-browser.js";

const hour = 60 * 60_000;
/** A person who is signed in, and the owner of the vault v-1. An agent has put an item for them. */
async function setUp() {
  const { site, person } = await openSiteOfPerson();
  const { own, secrets } = site;
  const call = ownCall("test", secrets);
  const member = { tenantId: "acme", vaultId: "v-1", principalId: person.accountId, role: "owner" };
  await own.createVault({ tenantId: "acme", vaultId: "v-1", retentionDays: undefined }, call);
  await own.setVaultMember(member, call);
  const agent = await approveAgent(site, person.accountId);
  const put = (itemId: string, principalId: string, oauthClientId: string) => {
    const actor = { ...call.actor, tenantId: "acme", principalId, oauthClientId, operation: "put", tokenId: "jti-1" };
    return own.putItem({ access: "member", vaultId: "v-1", itemId, baseVersion: 0, ...content }, { ...call, actor });
  };
  await put("i-1", person.accountId, "agent");
  return { site, person, agent, member, put };
}

async function list(browser: SiteBrowser, query: Readonly<Record<string, string>> = {}) {
  const { status, body } = await browser.send(`/account/api/activity?${new URLSearchParams(query)}`);
  expect(status).toBe(200);
  return Object(body);
}

const subjectsOf = async (browser: SiteBrowser, query?: Readonly<Record<string, string>>) =>
  (await list(browser, query)).entries.map(({ subject }: { readonly subject: string }) => subject);

describe("the activity of a person", () => {
  it("lists who did what, the newest first, with the names of software, and no token ids", async () => {
    const { person, agent } = await setUp();
    const { entries, next, readTo } = await list(person.browser);
    expect(entries[0]).toEqual({
      position: expect.any(Number),
      at: expect.stringMatching(/Z$/),
      by: "you",
      software: { id: "agent", name: "<Agent>" },
      operation: "put",
      subject: "item:v-1/i-1",
      event: "created",
      version: 1,
      requestId: expect.any(String),
    });
    expect(entries).toContainEqual(expect.objectContaining({ by: "platform", subject: "vault:v-1" }));
    expect(entries).toContainEqual(
      expect.objectContaining({ by: "software", subject: `refresh-family:${agent.familyId}`, event: "opened" }),
    );
    const account = `account:${person.accountId}`;
    expect(entries).toContainEqual(
      expect.objectContaining({ subject: account, event: expect.stringMatching(/^signed in with passkey: /) }),
    );
    expect({ next, readTo }).toEqual({ next: undefined, readTo: expect.stringMatching(/Z$/) });
    expect(JSON.stringify(entries)).not.toMatch(/jti-1|tokenId/);
  });

  it("lists acts of other members to a member who manages the vault, and to nobody else", async () => {
    const { site, person, member, put } = await setUp();
    const other = await signUpPerson(site);
    const call = ownCall("test", site.secrets);
    await site.own.setVaultMember({ ...member, principalId: other.accountId, role: "member" }, call);
    await put("i-2", other.accountId, "platform-console");
    const [newest] = (await list(person.browser)).entries;
    expect(newest).toMatchObject({ by: "member", principalId: other.accountId, subject: "item:v-1/i-2" });
    const seen = await subjectsOf(other.browser, { vault: "v-1" });
    expect(seen).toEqual(["item:v-1/i-2", `member:v-1/${other.accountId}`]);
    expect((await list(other.browser)).entries[0]).toMatchObject({ by: "you" });
    expect((await list(other.browser)).entries[0]).not.toHaveProperty("software");
  });

  it.each([
    [{ kind: "items", by: "software" }, ["item:v-1/i-1"]],
    [{ kind: "agents", vault: "v-1" }, ["item:v-1/i-1"]],
    [{ kind: "sign-ins", vault: "v-1" }, []],
    [{ item: "v-1/i-1" }, ["item:v-1/i-1"]],
    [{ item: "v-1/i-2" }, []],
    [{ vault: "v-1", by: "software" }, ["item:v-1/i-1"]],
    [{ vault: "v-1", by: "me" }, []],
    [{ vault: "v-1", software: "agent" }, ["item:v-1/i-1"]],
  ])("is filtered by %j", async (query, subjects) => {
    const { person } = await setUp();
    expect(await subjectsOf(person.browser, query)).toEqual(subjects);
  });

  it("is filtered by time, and hides the tokens of the console", async () => {
    const { site, person, put } = await setUp();
    const before = new Date(site.clock.now() + 1).toISOString();
    site.pass(hour / 10);
    await put("i-2", person.accountId, "agent");
    await person.browser.send("/account/api/token", { json: {} });
    expect(await subjectsOf(person.browser, { from: before })).toEqual(["item:v-1/i-2"]);
    expect(await subjectsOf(person.browser, { until: before, vault: "v-1", by: "software" })).toEqual(["item:v-1/i-1"]);
    const ofAgents = await subjectsOf(person.browser, { kind: "agents" });
    expect(ofAgents).not.toContainEqual(expect.stringMatching(/^grant:/));
  });

  it("comes in pages, each after a bounded part of the trail", async () => {
    const { site, person, put } = await setUp();
    const other = await signUpPerson(site);
    for (let n = 0; n < 1001; n += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, m) => put(`n-${n + m}`, person.accountId, "agent")));
    }
    const first = await list(person.browser, { kind: "items", by: "software" });
    expect(first.entries).toHaveLength(1000);
    const rest = await list(person.browser, { kind: "items", by: "software", before: String(first.next) });
    expect(rest.entries).toHaveLength(101);
    expect(rest.next).toBeUndefined();
    // Rows that a person may not see count as read.
    const hidden = await list(other.browser);
    expect(hidden).toMatchObject({ entries: [], next: expect.any(Number), readTo: expect.any(String) });
  });
});

describe("the endpoint", () => {
  it.each(["before=0", "before=x", "from=yesterday", "by=anyone", "vault=", "kind=", "kind=all", "item=", "software="])(
    "rejects %s",
    async (query) => {
      const { person } = await setUp();
      const sent = await person.browser.send(`/account/api/activity?${query}`);
      expect(sent).toMatchObject({ status: 400, body: { reason: "INVALID_REQUEST" } });
    },
  );
});
