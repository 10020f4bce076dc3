import { describe, expect, it } from "vitest";
import { createDeletionConsents } from "../../src/consents/deletion-consents.js";
import { openSite, siteOrigin } from "../../src/testing/accounts-site.js";
import { signUpPerson } from "../../src/testing/person.js";
import type { SiteBrowser } from "../../src/testing/site-browser.js";
import { putDeletable } from "./testing/deletion-site.js";

const minute = 60_000;
const titleOf = (body: unknown) => /<h1>(.*)<\/h1>/.exec(String(body))?.[1];

async function setUp() {
  const site = await openSite();
  const { browser, accountId } = await signUpPerson(site);
  const deletable = await putDeletable(site, siteOrigin, accountId);
  const decide = async (path: string, decision: string, by: SiteBrowser = browser) => {
    const { status, body } = await by.send(path, { form: { decision } });
    return [status, titleOf(body)];
  };
  return { site, browser, accountId, decide, ...deletable };
}

const allowed = [200, "You have allowed the deletion"];
const kept = [200, "The item stays"];
const tooLate = [409, "It is too late to keep the item"];

describe("the page of a deletion", () => {
  it("shows exactly what would be deleted, and who asks", async () => {
    const { browser, accountId, pathOf } = await setUp();
    const { status, body, headers } = await browser.send(pathOf());
    expect([status, titleOf(body)]).toEqual([200, "Delete this item?"]);
    for (const shown of [
      "&lt;Agent&gt;",
      "<code>i-1</code>",
      "<dd>Login</dd>",
      `data-vault-id="${accountId}"`,
      "version 1<",
      "30 days",
    ]) {
      expect(body).toContain(shown);
    }
    expect(headers.get("Cache-Control")).toBe("no-store");
  });

  it("is for one person: another one cannot see it, and cannot decide", async () => {
    const { site, pathOf, decide, has } = await setUp();
    const { browser: other } = await signUpPerson(site);
    const { status, body } = await other.send(pathOf());
    expect([status, titleOf(body)]).toEqual([403, "This link is for another person"]);
    expect(String(body)).not.toContain("i-1");
    expect(await decide(pathOf(), "delete", other)).toEqual([403, "This link is for another person"]);
    expect(await has()).toBe(false);
  });

  it.each([
    ["with another signature", (path: string) => path.replace(/\.[^.]*$/, `.${"A".repeat(43)}`)],
    ["without a request", () => "/consent/deletion"],
  ])("does not work for a link %s", async (_, change) => {
    const { pathOf, decide, has } = await setUp();
    expect(await decide(change(pathOf()), "delete")).toEqual([410, "This link does not work any more"]);
    expect(await has()).toBe(false);
  });

  it("works for 5 minutes", async () => {
    const { site, pathOf, decide } = await setUp();
    const path = pathOf();
    site.pass(5 * minute - 1);
    expect(await decide(path, "delete")).toEqual(allowed);
    site.pass(1);
    expect(await decide(path, "delete")).toEqual([410, "This link does not work any more"]);
  });

  it("does not work once the item has changed, or for a vault of others", async () => {
    const { put, pathOf, decide } = await setUp();
    await put(1);
    expect(await decide(pathOf(), "delete")).toEqual([409, "The item has changed"]);
    expect(await decide(pathOf({ vaultId: "v-other" }), "delete")).toEqual([409, "The item has changed"]);
  });
});

describe("the consent to a deletion", () => {
  it("stays until the deletion that it has allowed ends it, and can be given again", async () => {
    const { pathOf, decide, has, end } = await setUp();
    expect(await has()).toBe(false);
    expect(await decide(pathOf(), "delete")).toEqual(allowed);
    // A deletion that is refused does not end it.
    expect([await has(), await has()]).toEqual([true, true]);
    await Promise.all(Array.from({ length: 10 }, end));
    expect(await has()).toBe(false);
    expect(await decide(pathOf(), "delete")).toEqual(allowed);
    expect(await has()).toBe(true);
  });

  it.each([
    ["client", { oauthClientId: "other" }],
    ["item", { itemId: "i-2" }],
    ["version", { version: 2 }],
    ["vault", { vaultId: "v-2" }],
    ["person", { principalId: "p-2" }],
  ])("is not consent for another %s", async (_, changes) => {
    const { pathOf, decide, has } = await setUp();
    await decide(pathOf(), "delete");
    expect(await has(changes)).toBe(false);
    expect(await has()).toBe(true);
  });

  it("ends after 5 minutes, and can be given again", async () => {
    const { site, pathOf, decide, has } = await setUp();
    await decide(pathOf(), "delete");
    site.pass(5 * minute);
    expect(await has()).toBe(false);
    expect(await decide(pathOf(), "delete")).toEqual(allowed);
    expect(await has()).toBe(true);
  });

  it.each(["keep", "", "delete everything"])(
    "is not given by the decision %j, which also withdraws it",
    async (decision) => {
      const { pathOf, decide, has } = await setUp();
      await decide(pathOf(), "delete");
      expect(await decide(pathOf(), decision)).toEqual([200, "The item stays"]);
      expect(await has()).toBe(false);
    },
  );

  it("is withdrawn by a page whose link has expired since", async () => {
    const { site, pathOf, decide, has } = await setUp();
    const first = pathOf();
    site.pass(4 * minute);
    expect(await decide(pathOf(), "delete")).toEqual(allowed);
    site.pass(minute);
    expect(await decide(first, "keep")).toEqual([200, "The item stays"]);
    expect(await has()).toBe(false);
    expect(await decide(first, "delete")).toEqual([410, "This link does not work any more"]);
  });

  it("is withdrawn although the item has changed, which the page says", async () => {
    const { put, pathOf, decide, has } = await setUp();
    await decide(pathOf(), "delete");
    await put(1);
    expect(await decide(pathOf(), "keep")).toEqual([409, "The item has changed"]);
    expect(await has()).toBe(false);
  });

  it("cannot be withdrawn once a deletion has taken it, and the page leads to the vault where the item can be restored", async () => {
    const { browser, accountId, pathOf, decide, take, deleteItem, end } = await setUp();
    await decide(pathOf(), "delete");
    expect(await take()).toBe(true);
    const { status, body } = await browser.send(pathOf(), { form: { decision: "keep" } });
    expect([status, titleOf(body)]).toEqual(tooLate);
    expect(body).toContain(`href="/console/vaults/${accountId}"`);
    expect(await deleteItem()).toMatchObject({ ok: true });
    expect(await decide(pathOf(), "keep")).toEqual(tooLate);
    await end();
    expect(await decide(pathOf(), "keep")).toEqual(tooLate);
  });

  it("stays taken while its deletion runs, also when it expires or the person consents again", async () => {
    const { site, pathOf, decide, take } = await setUp();
    await decide(pathOf(), "delete");
    site.pass(5 * minute - 1);
    expect(await take()).toBe(true);
    site.pass(1);
    expect(await take()).toBe(false);
    expect(await decide(pathOf(), "keep")).toEqual(tooLate);
    await decide(pathOf(), "delete");
    expect(await decide(pathOf(), "keep")).toEqual(tooLate);
  });

  it("can be withdrawn again after each deletion that has taken it was rejected", async () => {
    const { pathOf, decide, take, giveBack } = await setUp();
    await decide(pathOf(), "delete");
    expect([await take(), await take()]).toEqual([true, true]);
    await giveBack();
    expect(await decide(pathOf(), "keep")).toEqual(tooLate);
    await giveBack();
    expect(await decide(pathOf(), "keep")).toEqual(kept);
    expect(await take()).toBe(false);
  });

  it("has one winner when it is taken and withdrawn at the same time", async () => {
    const { pathOf, decide, take } = await setUp();
    await decide(pathOf(), "delete");
    const [taken, page] = await Promise.all([take(), decide(pathOf(), "keep")]);
    expect(page).toEqual(taken ? tooLate : kept);
  });

  it("is given although another request removes it in between", async () => {
    const { site, pathOf, decide, has, end, request, call } = await setUp();
    await decide(pathOf(), "delete");
    let raced = false;
    const { give } = createDeletionConsents({
      ...site,
      own: {
        ...site.own,
        async putRecord(...args) {
          if (!raced) await end();
          raced = true;
          return site.own.putRecord(...args);
        },
      },
    });
    await give(request, call);
    expect(await has()).toBe(true);
  });

  it("fails as contended when other requests change it again and again", async () => {
    const { site, pathOf, decide, request, call } = await setUp();
    await decide(pathOf(), "delete");
    let tries = 0;
    const lose = async () => {
      tries += 1;
      return { ok: false, record: undefined } as const;
    };
    const contended = createDeletionConsents({ ...site, own: { ...site.own, putRecord: lose } });
    await expect(contended.take(request, call)).rejects.toMatchObject({ name: "StorageError", reason: "contended" });
    expect(tries).toBe(10);
  });

  it("is in the activity of the person", async () => {
    const { browser, accountId, pathOf, decide } = await setUp();
    await decide(pathOf(), "delete");
    const { body } = await browser.send("/account/api/activity");
    expect(Object(body).entries[0]).toMatchObject({
      by: "you",
      operation: "accounts/deletion-consent",
      subject: `item:${accountId}/i-1`,
      event: "deletion by agent allowed",
    });
    await decide(pathOf(), "keep");
    const { body: later } = await browser.send("/account/api/activity");
    expect(Object(later).entries[0]).toMatchObject({ event: "deletion by agent withdrawn" });
  });
});
