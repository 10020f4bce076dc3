import { expect, it, onTestFinished } from "vitest";
import { createAccountsSite } from "../testing/accounts-site.js";
import { approveAgent } from "../testing/approve-agent.js";
import { signUpPerson } from "../testing/person.js";

async function setUp() {
  const site = await createAccountsSite();
  onTestFinished(site.close);
  const person = await signUpPerson(site);
  site.events.length = 0;
  return { site, person, browser: person.browser };
}

it("a person gets another name in every browser in which they are signed in", async () => {
  const { site, person, browser } = await setUp();
  const phone = site.openBrowser();
  await person.signIn(phone);
  const renamed = await browser.send("/account/api/name", { json: { displayName: " Ada L. " } });
  expect(renamed).toMatchObject({ status: 200, body: { displayName: "Ada L." } });
  for (const each of [browser, phone]) {
    expect((await each.send("/account/api/console")).body).toMatchObject({ displayName: "Ada L." });
  }
  expect(site.events).toContainEqual(
    expect.objectContaining({ subject: `account:${person.accountId}`, event: "renamed", by: person.accountId }),
  );
});

it("a name that the pages refuse is refused with the same words", async () => {
  const { browser } = await setUp();
  expect(await browser.send("/account/api/name", { json: { displayName: "" } })).toMatchObject({
    status: 400,
    body: { reason: "NAME_NOT_ALLOWED", message: "Enter a name." },
  });
});

it("a person gets a copy of what the platform knows of them, without a key, a token or a code", async () => {
  const { site, person, browser } = await setUp();
  const agent = await approveAgent(site, person.accountId);
  const { status, headers, body } = await browser.send("/account/api/export");
  expect({ status, cache: headers.get("Cache-Control") }).toEqual({ status: 200, cache: "no-store" });
  expect(headers.get("Content-Disposition")).toMatch(/^attachment; filename="platform-account-\d{4}-\d\d-\d\d\.json"$/);
  expect(body).toMatchObject({
    accountId: person.accountId,
    recoveryCode: true,
    passkeys: [{ id: person.passkey.id }],
    sessions: [{ current: true }],
    software: [expect.objectContaining({ id: agent.familyId })],
    vaults: [{ vaultId: person.accountId, role: "owner" }],
    certifiedPrograms: [],
  });
  const text = JSON.stringify(body);
  expect(text).not.toMatch(/ciphertext|publicKey|locator/);
  expect(text).not.toContain(agent.accessToken);
});

it("the copy requires a sign-in within the last 5 minutes", async () => {
  const { site, browser } = await setUp();
  site.pass(5 * 60_000);
  expect(await browser.send("/account/api/export")).toMatchObject({ status: 401, body: { reason: "SIGN_IN_AGAIN" } });
});
