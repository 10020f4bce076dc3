import { expect, it, onTestFinished } from "vitest";
import { createAccountsSite } from "../testing/accounts-site.js";
import { approveAgent } from "../testing/approve-agent.js";
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
  expect(body).toContain("Delete items in the vaults where you may delete.");
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
  expect((await other.browser.send("/account")).body).not.toContain("Agent");
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
