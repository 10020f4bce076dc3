import { describe, expect, it } from "vitest";
import { revisions, startServer } from "../testing/start-server.js";

describe.each(revisions)("the first use, with revision %s of the protocol", (revision) => {
  it("opens the page of the login, waits for the approval, and continues the call", async () => {
    const { vault, person, asked, answer, call } = await startServer({ revision, signedIn: false });
    vault.put("i-1", { version: 1 });
    answer(() => {
      person.approve();
      return { action: "accept" };
    });
    expect(await call("list_items", {})).toMatchObject({ isError: false, text: expect.stringContaining("i-1") });
    expect(asked).toEqual([
      expect.objectContaining({
        mode: "url",
        url: "https://accounts.example/device?user_code=WDJB-MJHT",
        message: expect.stringContaining("must name api.example and show the code WDJB-MJHT"),
      }),
    ]);
  });

  it("returns the address and the code if the client cannot open URLs, and then waits", async () => {
    const { person, asked, call } = await startServer({ revision, signedIn: false, elicitation: { form: {} } });
    const { isError, text } = await call("list_items", {});
    expect([isError, text]).toEqual([
      true,
      "This tool needs the approval of the person. Ask them to open https://accounts.example/device, enter the code WDJB-MJHT, and approve if the page names api.example. Then call the tool again.",
    ]);
    const again = call("list_items", {});
    person.approve();
    expect(await again).toMatchObject({ isError: false });
    expect(asked).toEqual([]);
    expect(person.logins()).toBe(1);
  });

  it("asks for the scopes of the tool only, and for more when another tool needs them", async () => {
    const { vault, person, answer, call } = await startServer({ revision, signedIn: false });
    vault.put("i-1", { version: 3 });
    const approve = () => {
      person.approve();
      return { action: "accept" as const };
    };
    answer(approve);
    expect(await call("list_items", {})).toMatchObject({ isError: false });
    expect(person.asked).toEqual([["vault.items:read"]]);
    answer(approve);
    answer(() => ({ action: "accept", content: { delete: true } }));
    expect(await call("delete_item", { item: "i-1", version: 3 })).toMatchObject({
      structuredContent: { outcome: "deleted" },
    });
    expect(person.asked[1]).toEqual(["vault.items:read", "vault.items:delete"]);
    answer(approve);
    expect(await call("restore_item", { item: "i-1", version: 4 })).toMatchObject({ isError: false });
    expect(person.asked[2]).toEqual(["vault.items:read", "vault.items:delete", "vault.items:restore"]);
    expect(await call("list_items", {})).toMatchObject({ isError: false });
    expect(person.logins()).toBe(3);
  });

  it("does nothing, and asks again only at another call, if the person withholds a scope", async () => {
    const { vault, person, answer, call } = await startServer({ revision, signedIn: false });
    vault.put("i-1", { version: 3 });
    person.withheld.push("vault.items:delete");
    answer(() => {
      person.approve();
      return { action: "accept" };
    });
    expect(await call("delete_item", { item: "i-1", version: 3 })).toMatchObject({
      isError: true,
      text: "This tool needs vault.items:read and vault.items:delete, which the person has not allowed. Call the tool again to ask them.",
    });
    expect(vault.fake.calls).toHaveLength(0);
    expect(person.logins()).toBe(1);
  });

  it("ends the login if the person declines", async () => {
    const { person, answer, call } = await startServer({ revision, signedIn: false });
    answer(() => ({ action: "decline" }));
    expect(await call("list_items", {})).toMatchObject({ isError: true, text: expect.stringContaining("declined") });
    answer(() => {
      person.approve();
      return { action: "accept" };
    });
    expect(await call("list_items", {})).toMatchObject({ isError: false });
    expect(person.logins()).toBe(2);
  });

  it("keeps the login when the person takes longer than a call may", async () => {
    const { person, answer, call, endWait } = await startServer({ revision, signedIn: false });
    answer(() => {
      endWait();
      return { action: "accept" };
    });
    expect(await call("list_items", {})).toMatchObject({
      isError: true,
      text: expect.stringContaining("not approved yet"),
    });
    person.approve();
    expect(await call("list_items", {})).toMatchObject({ isError: false });
    expect(person.logins()).toBe(1);
  });
});

it("calls at the same time share one login", async () => {
  const { person, answer, call } = await startServer({ signedIn: false });
  answer(() => ({ action: "accept" }));
  answer(() => {
    person.approve();
    return { action: "accept" };
  });
  const results = await Promise.all([call("list_items", {}), call("list_items", {})]);
  expect(results.map(({ isError }) => isError)).toEqual([false, false]);
  expect(person.logins()).toBe(1);
});
