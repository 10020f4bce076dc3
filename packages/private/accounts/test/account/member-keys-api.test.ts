import { describe, expect, it } from "vitest";
import { openSite } from "../../src/testing/accounts-site.js";
import { signUpPerson } from "../../src/testing/person.js";

const memberKeys = (letter: string) => ({
  version: 1,
  nonce: letter.repeat(16),
  ciphertext: letter.repeat(260),
  signingPublicKey: letter.repeat(43),
});

const path = "/account/api/member-keys";

describe("the member keys of a person", () => {
  it("are stored once: a second browser gets those of the first", async () => {
    const site = await openSite();
    const { browser } = await signUpPerson(site);
    expect(await browser.send(path, { json: {} })).toMatchObject({ status: 200, body: {} });
    const stored = { status: 200, body: { memberKeys: memberKeys("A") } };
    expect(await browser.send(path, { json: { memberKeys: memberKeys("A") } })).toMatchObject(stored);
    expect(await browser.send(path, { json: { memberKeys: memberKeys("B") } })).toMatchObject(stored);
    expect(await browser.send(path, { json: {} })).toMatchObject(stored);
  });

  it.each<[string, object]>([
    ["another version", { version: 2 }],
    ["a long ciphertext", { ciphertext: "A".repeat(513) }],
    ["no public key", { signingPublicKey: "" }],
  ])("are rejected with %s", async (_, changes) => {
    const { browser } = await signUpPerson(await openSite());
    const rejected = await browser.send(path, { json: { memberKeys: { ...memberKeys("A"), ...changes } } });
    expect(rejected).toMatchObject({ status: 400, body: { reason: "INVALID_REQUEST" } });
  });

  it("the public half of the signing key is published to the people of the tenant, as a JWK (RFC 8037)", async () => {
    const site = await openSite();
    const ada = await signUpPerson(site);
    const bob = await signUpPerson(site);
    const published = `/account/api/signing-key/${ada.accountId}`;
    expect(await bob.browser.send(published)).toMatchObject({ status: 404, body: { reason: "NO_SIGNING_KEY" } });
    await ada.browser.send(path, { json: { memberKeys: memberKeys("A") } });
    const jwk = { kty: "OKP", crv: "Ed25519", x: "A".repeat(43), kid: ada.accountId };
    expect(await bob.browser.send(published)).toMatchObject({ status: 200, body: jwk });
  });
});
