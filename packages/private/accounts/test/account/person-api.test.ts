import { expect, it } from "vitest";
import { approveAgent } from "../../src/testing/approve-agent.js";
import { openSiteOfPerson } from "../../src/testing/person.js";

it("a person gets another name in every browser in which they are signed in", async () => {
  const { site, person, browser } = await openSiteOfPerson();
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
  const { browser } = await openSiteOfPerson();
  expect(await browser.send("/account/api/name", { json: { displayName: "" } })).toMatchObject({
    status: 400,
    body: { reason: "NAME_NOT_ALLOWED", message: "Enter a name." },
  });
});

it("a person gets a copy of what the platform knows of them, without a key, a token or a code", async () => {
  const { site, person, browser } = await openSiteOfPerson();
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
