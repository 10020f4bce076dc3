import { describe, expect, it, onTestFinished } from "vitest";
import { createSqliteStorage } from "../storage/sqlite/create-sqlite-storage.js";
import { fakeClock } from "../testing/fake-clock.js";
import { createSecrets } from "../tokens/secrets.js";
import type { Call } from "./call.js";
import { createItemOperations } from "./items.js";
import { createActivityOperations } from "./list-activity.js";
import { createVaultOperations } from "./vaults.js";

const content = {
  kind: "login",
  titleHash: "dGl0bGU",
  encryptedPayload: { alg: "A256GCM", nonce: "bm9uY2U", aad: "", ciphertext: "c2VjcmV0", version: 1 },
  wrappedKeys: [],
};

function callOf(principalId: string, tenantId = "t-1"): Call {
  const actor = { tenantId, principalId, oauthClientId: "c-1", tokenId: "jti-1", operation: "any", requestId: "r-1" };
  return { actor, wanted: () => true };
}

/** Creates the vault v-1, in which `ada` is the owner, `bob` a member and `eve` a viewer; ada and bob each put an item. */
async function open() {
  const clock = fakeClock();
  const storage = createSqliteStorage({ path: ":memory:" });
  onTestFinished(() => storage.close());
  const deps = { storage, clock, secrets: createSecrets({ hmacKey: new Uint8Array(32), clock }) };
  const { createVault, setVaultMember } = createVaultOperations(deps);
  const setRole = (principalId: string, role: string) =>
    setVaultMember({ tenantId: "t-1", vaultId: "v-1", principalId, role }, callOf("admin", "platform"));
  await createVault({ tenantId: "t-1", vaultId: "v-1", retentionDays: undefined }, callOf("admin"));
  await setRole("ada", "owner");
  await setRole("bob", "member");
  await setRole("eve", "viewer");
  const { putItem } = createItemOperations({ ...deps, trustedTime: clock.now });
  for (const who of ["ada", "bob"]) {
    await putItem({ access: "member", vaultId: "v-1", itemId: `of-${who}`, baseVersion: 0, ...content }, callOf(who));
  }
  const { listActivity: list } = createActivityOperations(deps);
  const subjects = async (who: string, tenantId?: string) =>
    (await list({ limit: 100 }, callOf(who, tenantId))).rows.map(({ subject }) => subject);
  return { list, subjects };
}

describe("ListActivity", () => {
  it("lists what every member did to a member who may manage the vault, the newest first", async () => {
    const { subjects } = await open();
    expect(await subjects("ada")).toEqual([
      "item:v-1/of-bob",
      "item:v-1/of-ada",
      "member:v-1/eve",
      "member:v-1/bob",
      "member:v-1/ada",
      "vault:v-1",
    ]);
  });

  it("lists only their own acts and role to other members, and nothing to anyone else", async () => {
    const { subjects } = await open();
    expect(await subjects("bob")).toEqual(["item:v-1/of-bob", "member:v-1/bob"]);
    expect(await subjects("eve")).toEqual(["member:v-1/eve"]);
    expect(await subjects("mallory")).toEqual([]);
    expect(await subjects("ada", "t-2")).toEqual([]);
    expect(await subjects("")).toEqual([]);
  });

  it("pages through rows that the caller may not see, and says how far it has read", async () => {
    const { list } = await open();
    const pages = [];
    for (let before: number | undefined; ; ) {
      const page = await list({ limit: 2, before }, callOf("bob"));
      pages.push(page.rows.map(({ subject }) => subject));
      expect(page.readTo).toBeDefined();
      if (page.next === undefined) break;
      before = page.next;
    }
    expect(pages).toEqual([["item:v-1/of-bob"], ["member:v-1/bob"], []]);
  });
});
