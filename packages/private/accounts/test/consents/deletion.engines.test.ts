import { describe, expect, it } from "vitest";
import { createConsents } from "../../src/consents/consents.js";
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
    expect(await decide(pathOf(), "allow", other)).toEqual([403, "This link is for another person"]);
    expect(await has()).toBe(false);
  });

  it.each([
    ["with another signature", (path: string) => path.replace(/\.[^.]*$/, `.${"A".repeat(43)}`)],
    ["without a request", () => "/consent"],
  ])("does not work for a link %s", async (_, change) => {
    const { pathOf, decide, has } = await setUp();
    expect(await decide(change(pathOf()), "allow")).toEqual([410, "This link does not work any more"]);
    expect(await has()).toBe(false);
  });

  it("works for 5 minutes", async () => {
    const { site, pathOf, decide } = await setUp();
    const path = pathOf();
    site.pass(5 * minute - 1);
    expect(await decide(path, "allow")).toEqual(allowed);
    site.pass(1);
    expect(await decide(path, "allow")).toEqual([410, "This link does not work any more"]);
  });

  it("does not work once the item has changed, or for a vault of others", async () => {
    const { put, pathOf, decide } = await setUp();
    await put(1);
    expect(await decide(pathOf(), "allow")).toEqual([409, "The item has changed"]);
    expect(await decide(pathOf({ vaultId: "v-other" }), "allow")).toEqual([409, "The item has changed"]);
  });
});

describe("the consent to a deletion", () => {
  it("stays until the deletion that it has allowed ends it, and can be given again", async () => {
    const { pathOf, decide, has, end } = await setUp();
    expect(await has()).toBe(false);
    expect(await decide(pathOf(), "allow")).toEqual(allowed);
    // A deletion that is refused does not end it.
    expect([await has(), await has()]).toEqual([true, true]);
    await Promise.all(Array.from({ length: 10 }, end));
    expect(await has()).toBe(false);
    expect(await decide(pathOf(), "allow")).toEqual(allowed);
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
    await decide(pathOf(), "allow");
    expect(await has(changes)).toBe(false);
    expect(await has()).toBe(true);
  });

  it("ends after 5 minutes, and can be given again", async () => {
    const { site, pathOf, decide, has } = await setUp();
    await decide(pathOf(), "allow");
    site.pass(5 * minute);
    expect(await has()).toBe(false);
    expect(await decide(pathOf(), "allow")).toEqual(allowed);
    expect(await has()).toBe(true);
  });

  it.each(["keep", "", "delete everything"])(
    "is not given by the decision %j, which also withdraws it",
    async (decision) => {
      const { pathOf, decide, has } = await setUp();
      await decide(pathOf(), "allow");
      expect(await decide(pathOf(), decision)).toEqual([200, "The item stays"]);
      expect(await has()).toBe(false);
    },
  );

  it("is withdrawn by a page whose link has expired since", async () => {
    const { site, pathOf, decide, has } = await setUp();
    const first = pathOf();
    site.pass(4 * minute);
    expect(await decide(pathOf(), "allow")).toEqual(allowed);
    site.pass(minute);
    expect(await decide(first, "keep")).toEqual([200, "The item stays"]);
    expect(await has()).toBe(false);
    expect(await decide(first, "allow")).toEqual([410, "This link does not work any more"]);
  });

  it("is withdrawn although the item has changed, which the page says", async () => {
    const { put, pathOf, decide, has } = await setUp();
    await decide(pathOf(), "allow");
    await put(1);
    expect(await decide(pathOf(), "keep")).toEqual([409, "The item has changed"]);
    expect(await has()).toBe(false);
  });

  it("cannot be withdrawn once a deletion has taken it, and the page leads to the vault where the item can be restored", async () => {
    const { browser, accountId, pathOf, decide, take, deleteItem, end } = await setUp();
    await decide(pathOf(), "allow");
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
    await decide(pathOf(), "allow");
    site.pass(5 * minute - 1);
    expect(await take()).toBe(true);
    site.pass(1);
    expect(await take()).toBe(false);
    expect(await decide(pathOf(), "keep")).toEqual(tooLate);
    await decide(pathOf(), "allow");
    expect(await decide(pathOf(), "keep")).toEqual(tooLate);
  });

  it("can be withdrawn again after each deletion that has taken it was rejected", async () => {
    const { pathOf, decide, take, giveBack } = await setUp();
    await decide(pathOf(), "allow");
    expect([await take(), await take()]).toEqual([true, true]);
    await giveBack();
    expect(await decide(pathOf(), "keep")).toEqual(tooLate);
    await giveBack();
    expect(await decide(pathOf(), "keep")).toEqual(kept);
    expect(await take()).toBe(false);
  });

  it("has one winner when it is taken and withdrawn at the same time", async () => {
    const { pathOf, decide, take } = await setUp();
    await decide(pathOf(), "allow");
    const [taken, page] = await Promise.all([take(), decide(pathOf(), "keep")]);
    expect(page).toEqual(taken ? tooLate : kept);
  });

  it("is given although another request removes it in between", async () => {
    const { site, pathOf, decide, has, end, request, call } = await setUp();
    await decide(pathOf(), "allow");
    let raced = false;
    const { give } = createConsents({
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
    await decide(pathOf(), "allow");
    let tries = 0;
    const lose = async () => {
      tries += 1;
      return { ok: false, record: undefined } as const;
    };
    const contended = createConsents({ ...site, own: { ...site.own, putRecord: lose } });
    await expect(contended.take(request, call)).rejects.toMatchObject({ name: "StorageError", reason: "contended" });
    expect(tries).toBe(10);
  });

  it("is in the activity of the person", async () => {
    const { browser, accountId, pathOf, decide } = await setUp();
    await decide(pathOf(), "allow");
    const { body } = await browser.send("/account/api/activity");
    expect(Object(body).entries[0]).toMatchObject({
      by: "you",
      operation: "accounts/consent",
      subject: `item:${accountId}/i-1`,
      event: "deletion by agent allowed",
    });
    await decide(pathOf(), "keep");
    const { body: later } = await browser.send("/account/api/activity");
    expect(Object(later).entries[0]).toMatchObject({ event: "deletion by agent withdrawn" });
  });
});

describe("the consent to a use", () => {
  const useAllowed = [200, "You have allowed this use"];

  it("shows the website, and allows one use: of 10 at the same moment, and never a second one", async () => {
    const { browser, decide, useAt } = await setUp();
    const { path, take } = useAt("api.example:8443");
    const { body } = await browser.send(path);
    expect(titleOf(body)).toBe("Use the secret of this item?");
    for (const shown of ["<strong>api.example:8443</strong>", "&lt;Agent&gt;", "data-sealed-item", "Allow it once"])
      expect(body).toContain(shown);
    expect(await take()).toBe(false);
    expect(await decide(path, "allow")).toEqual(useAllowed);
    const taken = await Promise.all(Array.from({ length: 10 }, take));
    expect(taken.filter(Boolean)).toHaveLength(1);
    expect(await take()).toBe(false);
    expect(await decide(path, "allow")).toEqual(useAllowed);
    expect(await take()).toBe(true);
  });

  it("allows only that host, version, software and approval, and no deletion", async () => {
    const { decide, useAt, has } = await setUp();
    const { path, take } = useAt("api.example");
    expect(await decide(path, "allow")).toEqual(useAllowed);
    const others = [
      useAt("other.example"),
      useAt("api.example", { version: 2 }),
      useAt("api.example", { oauthClientId: "x" }),
      useAt("api.example", { delegationId: "delegation-2" }),
    ];
    expect(await Promise.all(others.map((other) => other.take()))).toEqual(others.map(() => false));
    expect(await has()).toBe(false);
    expect(await take()).toBe(true);
  });

  it("is not given by a consent to a deletion", async () => {
    const { pathOf, decide, useAt } = await setUp();
    expect(await decide(pathOf(), "allow")).toEqual(allowed);
    expect(await useAt("api.example").take()).toBe(false);
  });

  it("ends after 5 minutes, when the person withdraws it, and for an item that has changed", async () => {
    const { site, put, decide, useAt } = await setUp();
    const { path, take } = useAt("api.example");
    await decide(path, "allow");
    expect(await decide(path, "refuse")).toEqual([200, "This use is not allowed"]);
    expect(await take()).toBe(false);
    await decide(path, "allow");
    site.pass(5 * minute);
    expect(await take()).toBe(false);
    const later = useAt("api.example");
    await put(1);
    expect(await decide(later.path, "allow")).toEqual([409, "The item has changed"]);
    expect(await later.take()).toBe(false);
  });

  it("is in the activity of the person, with the software that asked", async () => {
    const { browser, accountId, decide, useAt } = await setUp();
    await decide(useAt("api.example").path, "allow");
    const { body } = await browser.send("/account/api/activity");
    expect(Object(body).entries[0]).toMatchObject({
      subject: `item:${accountId}/i-1`,
      event: "use by agent at api.example allowed",
      about: "<Agent>",
    });
  });
});
