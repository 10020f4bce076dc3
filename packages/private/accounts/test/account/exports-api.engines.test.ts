import { describe, expect, it } from "vitest";
import { ownCall } from "../../src/http/own-call.js";
import { openSiteOfPerson } from "../../src/testing/person.js";

/** A person with a role in the vault v-1, and who owns v-2. v-3 belongs to nobody, and v-4 is of another tenant. */
async function setUp(role = "owner") {
  const { site, person } = await openSiteOfPerson();
  const call = ownCall("test", site.secrets);
  for (const [tenantId, vaultId, given] of [
    ["acme", "v-1", role],
    ["acme", "v-2", "owner"],
    ["acme", "v-3", undefined],
    ["other", "v-4", "owner"],
  ] as const) {
    await site.own.createVault({ tenantId, vaultId, retentionDays: 30 }, call);
    const member = { tenantId, vaultId, principalId: person.accountId };
    if (given !== undefined) await site.own.setVaultMember({ ...member, role: given }, call);
  }
  return {
    ...{ site, person },
    exportVaults: (changes: object = {}, on = person.browser) =>
      on.send("/account/api/exports", { json: { vaultIds: ["v-1"], format: "encrypted-file", ...changes } }),
    async exported() {
      const { body } = await person.browser.send("/account/api/activity?kind=items");
      const entries: readonly { readonly by: string; readonly subject: string; readonly event: string }[] =
        Object(body).entries;
      const exports = entries.filter(({ event }) => event.startsWith("exported"));
      return exports.map(({ by, subject, event }) => `${by} ${subject} ${event}`).toSorted();
    },
  };
}

const refused = (status: number, reason: string) => ({ status, body: { reason } });

describe("an export is recorded before the browser makes the file", () => {
  it.each(["owner", "admin", "member", "viewer"])("for each vault once, with the format, for an %s", async (role) => {
    const { exportVaults, exported } = await setUp(role);
    expect(await exportVaults({ vaultIds: ["v-1", "v-2", "v-1"] })).toMatchObject({ status: 200, body: {} });
    expect(await exportVaults({ format: "bitwarden-json" })).toMatchObject({ status: 200 });
    expect(await exported()).toEqual([
      "you vault:v-1 exported: bitwarden-json",
      "you vault:v-1 exported: encrypted-file",
      "you vault:v-2 exported: encrypted-file",
    ]);
  });

  it.each([
    ["a vault of which the person is no member", { vaultIds: ["v-1", "v-3"] }, refused(404, "VAULT_NOT_FOUND")],
    ["a vault of another tenant", { vaultIds: ["v-1", "v-4"] }, refused(404, "VAULT_NOT_FOUND")],
    ["no vault", { vaultIds: [] }, refused(400, "INVALID_REQUEST")],
    ["too many vaults", { vaultIds: Array.from({ length: 101 }, String) }, refused(400, "INVALID_REQUEST")],
    ["an unknown format", { format: "xml" }, refused(400, "INVALID_REQUEST")],
  ])("is refused as a whole for %s, and records nothing", async (_, changes, answer) => {
    const { exportVaults, exported } = await setUp();
    expect(await exportVaults(changes)).toMatchObject(answer);
    expect(await exported()).toEqual([]);
  });
});
