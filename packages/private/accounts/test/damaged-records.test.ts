import { createHash } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { ownCall } from "../src/http/own-call.js";
import { createAccountsSite } from "../src/testing/accounts-site.js";
import { begin, signUpPerson } from "../src/testing/person.js";

/** Signs a person up who begins to sign in again. Returns how each of their records is stored, and how it is read. */
async function signedUp() {
  const logged: object[] = [];
  const logger = { info() {}, error: (fields: object) => logged.push(fields) };
  const site = await createAccountsSite({ logger });
  onTestFinished(site.close);
  const { accountId, browser, passkey, recover, recovery } = await signUpPerson(site);
  const { passkey: options } = await begin(browser, "sign-in", { again: true });
  const hashOf = (name: string) =>
    createHash("sha256")
      .update(browser.cookies.get(name) ?? "")
      .digest("base64url");
  const finish = () =>
    browser.send("/account/api/sign-in/finish", { json: { how: "passkey", response: passkey.use(options) } });
  const records = {
    account: { key: accountId, read: () => browser.send("/console") },
    session: { key: hashOf("__Host-session"), read: () => browser.send("/console") },
    ceremony: { key: hashOf("__Host-ceremony"), read: finish },
    "recovery-locator": { key: recovery.locator, read: () => recover(site.openBrowser()) },
  };
  return { site, logged, records };
}

it.each([
  ["account", "damaged", "{"],
  ["session", "damaged", "[]"],
  ["ceremony", "damaged", '{"kind":"sign in"}'],
  ["recovery-locator", "damaged", "{}"],
] as const)("the record of the collection %s that is %s is an error with a name", async (collection, _, value) => {
  const { site, logged, records } = await signedUp();
  const { key, read } = records[collection];
  const call = ownCall("test", site.secrets);
  const record = await site.own.getRecord({ tenantId: "acme", collection, key }, call);
  if (record === undefined) throw new Error(`there is no ${collection} ${key}`);
  await site.own.putRecord({ record: { ...record, value }, expectedRevision: record.revision }, call);
  expect(await read()).toMatchObject({ status: 500 });
  expect(logged).toContainEqual(expect.objectContaining({ error: "RecordError" }));
});

it("what a newer version has added to an account is kept when the account is replaced", async () => {
  const { site, records } = await signedUp();
  const { key } = records.account;
  const call = ownCall("test", site.secrets);
  const find = () => site.own.getRecord({ tenantId: "acme", collection: "account", key }, call);
  const record = await find();
  if (record === undefined) throw new Error("there is no account");
  const value = JSON.stringify({ ...JSON.parse(record.value), added: "later" });
  await site.own.putRecord({ record: { ...record, value }, expectedRevision: record.revision }, call);
  expect(await records.ceremony.read()).toMatchObject({ status: 200 });
  expect(await find()).toMatchObject({ revision: 3, value: expect.stringContaining('"added":"later"') });
});
