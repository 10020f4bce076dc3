import type { Bounds } from "@platform-rpc/server/host";
import { describe, expect, it, onTestFinished } from "vitest";
import { createAccountsSite } from "../testing/accounts-site.js";
import { approveAgent, exchangeForAgent } from "../testing/approve-agent.js";
import { signUpPerson } from "../testing/person.js";

async function setUp() {
  const site = await createAccountsSite();
  onTestFinished(site.close);
  const person = await signUpPerson(site);
  const agent = await approveAgent(site, person.accountId);
  return { site, person, agent };
}

it("the account page lists the software that a person has approved, with its scopes in words", async () => {
  const { person } = await setUp();
  const { body } = await person.browser.send("/account");
  expect(body).toContain("<strong>&lt;Agent&gt;</strong>");
  expect(body).toContain("Delete items. You can restore them while their vault keeps them.");
});

it("a person ends the access of software: its tokens are revoked, and cannot be renewed", async () => {
  const { site, person, agent } = await setUp();
  expect(await site.authenticator.authenticate(agent.accessToken)).toBeDefined();
  const ended = await person.browser.send("/account/software/end", { form: { id: agent.familyId } });
  expect([ended.status, ended.location]).toEqual([303, "/account"]);
  expect((await person.browser.send("/account")).body).toContain("None. Software that you approve");
  site.pass(1_000);
  expect(await site.authenticator.authenticate(agent.accessToken)).toBeUndefined();
  expect(await agent.refresh()).toMatchObject({ ok: false });
});

it("another person cannot end it, and does not see it", async () => {
  const { site, agent } = await setUp();
  const other = await signUpPerson(site);
  expect((await other.browser.send("/account")).body).not.toContain("&lt;Agent&gt;");
  await other.browser.send("/account/software/end", { form: { id: agent.familyId } });
  expect(await agent.refresh()).toMatchObject({ ok: true });
});

it("five minutes after sign-in, a person proves again who they are before they end it", async () => {
  const { site, person, agent } = await setUp();
  site.pass(5 * 60_000);
  const { status, location } = await person.browser.send("/account/software/end", { form: { id: agent.familyId } });
  expect([status, location]).toEqual([303, expect.stringMatching(/^\/sign-in\?again/)]);
  expect(await agent.refresh()).toMatchObject({ ok: true });
});

describe("what the approval of software is limited to", () => {
  async function delegated(bounds: Bounds = { vaults: ["v-1"], maxDeletions: 10 }) {
    const site = await createAccountsSite();
    onTestFinished(site.close);
    const person = await signUpPerson(site);
    const agent = await approveAgent(site, person.accountId, bounds);
    const allow = (deletions: string, { browser } = person) =>
      browser.send("/account/software/deletions", { form: { id: agent.familyId, deletions } });
    return { site, person, allow, shown: async () => (await person.browser.send("/account")).body };
  }

  it("is on the account page, with a form without scripts in which the person allows more deletions", async () => {
    const { allow, shown } = await delegated();
    expect(await shown()).toContain("Items deleted: 0 of at most 10.");
    const { status, location } = await allow("25");
    expect([status, location]).toEqual([303, "/account"]);
    expect(await shown()).toContain("Items deleted: 0 of at most 25.");
    expect(await shown()).toContain("Only in the vaults v-1.");
  });

  it("is empty in the form if deletions are not limited, so that saving it unread sets no limit", async () => {
    const { allow, shown } = await delegated({ vaults: ["v-1"] });
    const [, value = "none"] = /name="deletions"[^>]*value="([^"]*)"/.exec(String(await shown())) ?? [];
    await allow(value);
    expect(await shown()).toContain("Items deleted: 0.");
  });

  it.each(["", "-1", "1.5", "many", "12345678901"])("is not changed by the number %j", async (deletions) => {
    const { allow, shown } = await delegated();
    await allow(deletions);
    expect(await shown()).toContain("Items deleted: 0 of at most 10.");
  });

  it("is not changed by another person, nor five minutes after sign-in", async () => {
    const { site, allow, shown } = await delegated();
    await allow("25", await signUpPerson(site));
    expect(await shown()).toContain("Items deleted: 0 of at most 10.");
    site.pass(5 * 60_000);
    expect((await allow("25")).location).toMatch(/^\/sign-in\?again/);
  });
});

describe("tokens that are not renewed", () => {
  async function exchanged() {
    const site = await createAccountsSite();
    onTestFinished(site.close);
    const person = await signUpPerson(site);
    return { site, person, agent: await exchangeForAgent(site, person.accountId) };
  }

  it("are listed until they end", async () => {
    const { site, person } = await exchanged();
    const shown = async () => (await person.browser.send("/account")).body;
    expect(await shown()).toContain("<strong>&lt;Agent&gt;</strong>");
    expect(await shown()).toContain("cannot be renewed");
    site.pass(10 * 60_000);
    expect(await shown()).toContain("<strong>&lt;Agent&gt;</strong>");
    site.pass(5 * 60_000);
    expect(await shown()).toContain("None. Software that you approve");
  });

  it("are revoked by the person, with the broker token", async () => {
    const { site, person, agent } = await exchanged();
    await person.browser.send("/account/grant/end", { form: { id: agent.grantId } });
    expect((await person.browser.send("/account")).body).toContain("None. Software that you approve");
    site.pass(1_000);
    expect(await site.authenticator.authenticate(agent.accessToken)).toBeUndefined();
    expect(await site.brokerAuthenticator.authenticate(agent.brokerToken)).toBeUndefined();
  });

  it("are not revoked by another person", async () => {
    const { site, agent } = await exchanged();
    const other = await signUpPerson(site);
    await other.browser.send("/account/grant/end", { form: { id: agent.grantId } });
    expect(await site.authenticator.authenticate(agent.accessToken)).toBeDefined();
  });
});
