import { expect, it } from "vitest";
import { ownCall } from "../../src/http/own-call.js";
import { openSite } from "../../src/testing/accounts-site.js";
import { signUpPerson } from "../../src/testing/person.js";
import { createOwnVaults } from "../../src/vaults/own-vaults.js";

it("a page gets the keys of the person's vaults, each as it is wrapped for them, and those of nobody else", async () => {
  const site = await openSite();
  const [ada, bob] = [await signUpPerson(site), await signUpPerson(site)];
  const call = ownCall("test", site.secrets);
  const as = (principalId: string) => ({ ...call, actor: { ...call.actor, tenantId: "acme", principalId } });
  const vaults = createOwnVaults({ own: site.own, operations: site.own, clock: site.clock });
  const [vaultId, keyId] = [crypto.randomUUID(), crypto.randomUUID()];
  const created = { vaultId, key: { keyId, wrappedKey: "d3JhcHBlZA" }, encryptedName: "bmFtZQ" };
  await vaults.create(created, as(ada.accountId));
  await site.own.setVaultMember({ tenantId: "acme", vaultId, principalId: bob.accountId, role: "viewer" }, call);
  const listed = async ({ browser }: typeof ada) => (await browser.send("/account/api/vaults")).body;
  const personal = (accountId: string) => ({ vaultId: accountId, encryptedName: "", revision: 0 });
  const named = { vaultId, encryptedName: "bmFtZQ", revision: 1 };
  const family = (wrappedKey: string) => ({ ...named, key: { keyId, epoch: 1, wrappedKey } });
  const sorted = (all: readonly { readonly vaultId: string }[]) =>
    all.toSorted((one, other) => (one.vaultId < other.vaultId ? -1 : 1));
  expect(await listed(ada)).toEqual({
    tenantId: "acme",
    principalId: ada.accountId,
    vaults: sorted([personal(ada.accountId), family("d3JhcHBlZA")]),
  });
  expect(await listed(bob)).toMatchObject({ vaults: sorted([personal(bob.accountId), family("")]) });
});
