import { expect, it, onTestFinished } from "vitest";
import { ownCall } from "../../own-call.js";
import { type AccountsSite, createAccountsSite } from "../testing/accounts-site.js";
import { signUpPerson } from "../testing/person.js";

const tenantId = "acme";
const oauthClientId = "agent";

/** Lets a person approve an agent, which then has tokens. */
async function approveAgent({ own, secrets }: AccountsSite, principalId: string) {
  const call = ownCall("test", secrets);
  const asAgent = { ...call, actor: { ...call.actor, tenantId, oauthClientId } };
  const allowedOperations = ["platform.v1.VaultService/DeleteItem"];
  await own.setOauthClient({ tenantId, oauthClientId, name: "<Agent>", allowedOperations, enabled: true }, call);
  const wanted = { tenantId, oauthClientId, scopes: ["vault.items:delete"], popPublicJwk: "" };
  const started = await own.startDeviceAuthorization(wanted, call);
  if (!started.ok) throw new Error(started.reason);
  const { userCode, deviceCode } = started;
  await own.answerDeviceAuthorization({ tenantId, principalId, userCode }, { approve: ["vault.items:delete"] }, call);
  const tokens = await own.redeemDeviceCode({ deviceCode, idempotencyKey: undefined, proofKeyId: "" }, asAgent);
  if (!tokens.ok || tokens.status !== "approved") throw new Error("the agent got no tokens");
  const refresh = () =>
    own.refreshTokens({ refreshToken: tokens.refreshToken, proofKeyId: "", scopes: undefined }, asAgent);
  return { familyId: tokens.grant.grantId, accessToken: tokens.accessToken, refresh };
}

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
