import { createClockWatch } from "@platform-rpc/server/host";
import { describe, expect, it } from "vitest";
import { ownCall } from "../../src/http/own-call.js";
import { approveAgent } from "../../src/testing/approve-agent.js";
import { content } from "../../src/testing/item-content.js";
import { openSiteOfPerson } from "../../src/testing/person.js";

const tenantId = "acme";
const vaultId = "v-1";
const itemId = "i-1";
const day = 24 * 60 * 60_000;
/** A person with a role in the vault v-1, or none, in which i-1 was deleted. */
async function setUp(role = "owner") {
  const { site, person } = await openSiteOfPerson();
  const { own, secrets, storage, clock } = site;
  const call = ownCall("test", secrets);
  const item = { access: "administrator", tenantId, vaultId, itemId } as const;
  const setRole = (principalId: string, given: string) =>
    own.setVaultMember({ tenantId, vaultId, principalId, role: given }, call);
  await own.createVault({ tenantId, vaultId, retentionDays: 30 }, call);
  await setRole("bob", "member");
  if (role !== "none") await setRole(person.accountId, role);
  const put = (baseVersion: number) => own.putItem({ ...item, baseVersion, ...content }, call);
  const asBob = { ...call, actor: { ...call.actor, tenantId, principalId: "bob" } };
  await put(0);
  await own.deleteItem({ vaultId, itemId, baseVersion: 1 }, asBob);
  return {
    ...{ site, person, call },
    deleteForEver: (changes: object = {}, on = person.browser) =>
      on.send("/account/api/items/delete-for-ever", { json: { vaultId, itemId, version: 2, ...changes } }),
    restore: () => own.restoreItem({ ...item, baseVersion: 2 }, call),
    async find() {
      const found = await own.getItem(item, call);
      return found.ok ? found.item : expect.unreachable(found.reason);
    },
    /** Lets the wall clock of this machine step ahead, and back. */
    async stepClock() {
      const clocks = { wall: () => clock.now() + 31 * day, monotonic: clock.now };
      await site.clockWatch.read();
      await createClockWatch({ storage, runId: "run-1", clocks }).read();
    },
    async events() {
      const { body } = await person.browser.send("/account/api/activity");
      const entries: readonly { readonly subject: string; readonly event: string }[] = Object(body).entries;
      return entries.filter(({ subject }) => subject === `item:${vaultId}/${itemId}`).map(({ event }) => event);
    },
  };
}

const refused = (status: number, reason: string) => ({ status, body: { reason } });

describe("Delete for ever: content is shredded before its retention ends", () => {
  it("at once, and is audited with an event of its own", async () => {
    const { deleteForEver, find, restore, events } = await setUp();
    const before = await find();
    expect(await deleteForEver()).toMatchObject({ status: 200, body: {} });
    const { version, updatedAt, sequence } = before;
    expect(await find()).toMatchObject({
      ...{ state: "shredded", shredAt: undefined, version, updatedAt, sequence, titleHash: "", wrappedKeys: [] },
      encryptedPayload: { nonce: "", aad: "", ciphertext: "" },
    });
    expect(await restore()).toEqual({ ok: false, reason: "ITEM_SHREDDED" });
    expect(await events()).toEqual(["deleted for ever", "deleted", "created"]);
  });

  it("a retry succeeds, and writes nothing", async () => {
    const { deleteForEver, events } = await setUp();
    const answers = await Promise.all([deleteForEver(), deleteForEver()]);
    for (const answer of [...answers, await deleteForEver()]) expect(answer).toMatchObject({ status: 200, body: {} });
    expect(await events()).toEqual(["deleted for ever", "deleted", "created"]);
  });

  it.each([
    ["a member", "member", {}, refused(403, "ROLE_FORBIDS_CHANGE")],
    ["somebody who is not a member", "none", {}, refused(404, "ITEM_NOT_FOUND")],
    ["an item that does not exist", "owner", { itemId: "none" }, refused(404, "ITEM_NOT_FOUND")],
    ["the version before the deletion", "owner", { version: 1 }, refused(409, "ITEM_CHANGED")],
    ["no version", "owner", { version: 0 }, refused(400, "INVALID_REQUEST")],
  ])("is refused for %s, and changes nothing", async (_, role, changes, answer) => {
    const { deleteForEver, find } = await setUp(role);
    expect(await deleteForEver(changes)).toMatchObject(answer);
    expect(await find()).toMatchObject({ state: "deleted", ...content });
  });

  it("is not for software, whatever the person allowed it to do", async () => {
    const { site, person, find } = await setUp();
    const { accessToken } = await approveAgent(site, person.accountId);
    const answer = await site.openBrowser().send("/account/api/items/delete-for-ever", {
      json: { vaultId, itemId, version: 2 },
      headers: { Authorization: `Bearer ${accessToken}` },
    });
    expect(answer).toMatchObject(refused(401, "SIGNED_OUT"));
    expect((await find()).state).toBe("deleted");
  });

  it("is refused while the clock is not trusted, until an operator has checked it", async () => {
    const { site, call, deleteForEver, find, stepClock } = await setUp();
    await stepClock();
    expect(await deleteForEver()).toMatchObject(refused(503, "CLOCK_NOT_TRUSTED"));
    expect((await find()).state).toBe("deleted");
    await site.clockWatch.trust(call);
    expect(await deleteForEver()).toMatchObject({ status: 200 });
  });
});
