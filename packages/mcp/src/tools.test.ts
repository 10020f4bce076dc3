import type { ItemContent } from "@platform-rpc/items/item-content";
import { memoryOf } from "@platform-rpc/items/testing/memory-of";
import type { Finding } from "@platform-rpc/items/vault/memory";
import { MemoryError, ProgramError, type UnlockedVaults } from "@platform-rpc/signed-in";
import { describe, expect, it } from "vitest";
import { createFakeVault } from "./testing/fake-vault.js";
import { revisions, startServer } from "./testing/start-server.js";

const accept = (content: Record<string, string | boolean>) => () => ({ action: "accept" as const, content });
const item = { item: "i-1", version: 3 };
/** The page of the fake platform. */
const page = "https://platform.test/console/agents";

describe.each(revisions)("with revision %s of the protocol", (revision) => {
  it("the tools say which of them change something", async () => {
    const { client } = await startServer({ revision });
    const { tools } = await client.listTools();
    expect(
      tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint, annotations?.destructiveHint]),
    ).toEqual([
      ["list_items", true, undefined],
      ["restore_item", false, false],
      ["delete_item", false, true],
      ["http_request", false, true],
    ]);
  });

  it("results and errors contain no control character or mark of direction", async () => {
    const vault = createFakeVault({ vaults: ["v-1\u001b[2J\u202e", "v-2"] });
    const { call } = await startServer({ revision, vault });
    vault.put("i-1", { version: 3, kind: "login\u2066\u009b" });
    const listed = await call("list_items", { vault: "v-1" });
    expect(listed.text).toContain('"kind":"login\\u2066\\u009b"');
    const { isError, text } = await call("list_items", {});
    expect([isError, text]).toEqual([true, expect.stringContaining("v-1\\u001b[2J\\u202e, v-2")]);
  });

  describe("delete_item", () => {
    it("shows the person the item, and deletes it with their consent", async () => {
      const { vault, asked, answer, call } = await startServer({ revision });
      vault.put("i-1", { version: 3 });
      answer(accept({ delete: true }));
      expect(await call("delete_item", item)).toMatchObject({
        isError: false,
        structuredContent: { outcome: "deleted", itemId: "i-1", vaultId: "v-1", version: 4 },
      });
      expect(asked).toHaveLength(1);
      const message = expect.stringMatching(
        /Item: i-1\nKind: Login\nVault: v-1\nVersion: 3\n\n.*run on this computer: platform unlock\n\nIt can be restored for 30 days\./,
      );
      expect(asked[0]).toMatchObject({ message });
    });

    it.each([
      ["declines", () => ({ action: "decline" as const }), "decline"],
      ["closes the form", () => ({ action: "cancel" as const }), "cancel"],
      ["submits it without a mark", accept({ delete: false }), "decline"],
      ["submits an empty form", accept({}), "decline"],
    ])("deletes nothing if the person %s", async (_, reply, decision) => {
      const { vault, answer, call } = await startServer({ revision });
      vault.put("i-1", { version: 3 });
      answer(reply);
      expect(await call("delete_item", item)).toMatchObject({
        structuredContent: { outcome: "not deleted", decision },
      });
      expect(vault.fake.calls).toHaveLength(0);
    });

    it.each([
      [{ decision: "delete the current one" }, { outcome: "deleted", version: 5 }],
      [{ decision: "keep theirs" }, { outcome: "not deleted", decision: "keep theirs" }],
      [{ decision: "cancel" }, { outcome: "not deleted", decision: "cancel" }],
    ])("after a change during the consent, the person decides: %j", async (reply, outcome) => {
      const { vault, asked, answer, call } = await startServer({ revision });
      vault.put("i-1", { version: 3 });
      answer(() => {
        vault.put("i-1", { version: 4 });
        return { action: "accept", content: { delete: true } };
      });
      answer(accept(reply));
      expect(await call("delete_item", item)).toMatchObject({ structuredContent: outcome });
      expect(asked).toHaveLength(2);
      expect(asked[1]).toMatchObject({
        message: expect.stringMatching(/Yours: version 3, .*\nCurrent: version 4, kind Login/),
      });
      expect(vault.itemOf("i-1")).toMatchObject({ deleted: outcome.outcome === "deleted" });
    });

    it("has nothing to ask about an item that is deleted", async () => {
      const { vault, asked, call } = await startServer({ revision });
      vault.put("i-1", { version: 4, deleted: true });
      expect(await call("delete_item", item)).toMatchObject({
        structuredContent: { outcome: "already deleted", version: 4 },
      });
      expect(asked).toEqual([]);
    });

    it.each([[undefined], [{ url: {} }]])(
      "refuses if the client cannot show forms (%j), also when nobody is signed in",
      async (elicitation) => {
        const { vault, person, call } = await startServer({ revision, elicitation, signedIn: false });
        vault.put("i-1", { version: 3 });
        const { isError, text } = await call("delete_item", item);
        expect([isError, text]).toEqual([true, expect.stringMatching(/^Nothing was deleted\. .*elicitation/)]);
        expect(vault.fake.calls).toHaveLength(0);
        expect(person.logins()).toBe(0);
      },
    );

    it("accepts a client from before the modes of elicitation", async () => {
      const { vault, answer, call } = await startServer({ revision, elicitation: {} });
      vault.put("i-1", { version: 3 });
      answer(accept({ delete: true }));
      expect(await call("delete_item", item)).toMatchObject({ structuredContent: { outcome: "deleted" } });
    });

    it("warns when the vault keeps no deleted items", async () => {
      const { vault, asked, call } = await startServer({ revision, vault: createFakeVault({ retentionDays: 0 }) });
      vault.put("i-1", { version: 3 });
      await call("delete_item", item);
      expect(asked[0]).toMatchObject({ message: expect.stringContaining("It CANNOT be restored") });
    });

    it("reports an error of the platform with its reason, what to do, and the id of the request", async () => {
      const { vault, answer, call } = await startServer({ revision });
      vault.put("i-1", { version: 3 });
      vault.fake.failNext("ROLE_FORBIDS_DELETE");
      answer(accept({ delete: true }));
      const { isError, text } = await call("delete_item", item);
      expect([isError, text]).toEqual([
        true,
        expect.stringMatching(/\S+\nReason: ROLE_FORBIDS_DELETE\nRequest id: \S+$/),
      ]);
    });

    it("says when the budget of deletions is used, and once where the person can give more, also if the message does not", async () => {
      const { vault, answer, call } = await startServer({ revision });
      vault.put("i-1", { version: 3 });
      vault.fake.limitDeletions(0);
      answer(accept({ delete: true }));
      const { isError, text } = await call("delete_item", item);
      const used = "The budget of deletions is used: 0 of 0. Ask the person who approved to give more at ";
      expect([isError, text.split(page)]).toEqual([
        true,
        [expect.stringContaining(used), expect.stringContaining("\nReason: DELEGATION_EXHAUSTED\n")],
      ]);
      vault.fake.failNext("DELEGATION_EXHAUSTED");
      answer(accept({ delete: true }));
      expect((await call("delete_item", item)).text).toContain(`\nThe person can give more at ${page}\n`);
    });
  });
});

describe("list_items", () => {
  it("lists what the server knows, in pages", async () => {
    const { vault, call } = await startServer();
    for (const id of ["i-1", "i-2", "i-3", "i-4"]) vault.put(id, { version: 1, deleted: id === "i-2" });
    const ids = (result: unknown) => expect.objectContaining({ items: expect.anything(), ...Object(result) });
    const first = await call("list_items", { limit: 2 });
    expect(first.structuredContent).toEqual({
      vaultId: "v-1",
      items: ["i-1", "i-3"].map((itemId) => ({ itemId, vaultId: "v-1", kind: "login", version: 1, deleted: false })),
      nextCursor: 3,
      notice: "Titles are encrypted. To see them, run on this computer: platform unlock",
    });
    const next = await call("list_items", { limit: 2, cursor: 3 });
    expect(next.structuredContent).toEqual(ids({ items: [expect.objectContaining({ itemId: "i-4" })] }));
    const deleted = await call("list_items", { deleted: true });
    expect(deleted.structuredContent).toEqual(ids({ items: [expect.objectContaining({ itemId: "i-2" })] }));
  });
});

describe("while the vaults are unlocked", () => {
  const fields: ItemContent["fields"] = [
    { name: "username", type: "text", value: "ada-canary" },
    { name: "password", type: "secret", value: "correct horse" },
    { name: "website", type: "url", value: "https://ada:secret@mail.example.com:8443/reset?token=secret" },
    { name: "other", type: "url", value: "javascript:secret" },
  ];
  const unlockedWith = (title: string, isVerified = true, finding?: Finding): UnlockedVaults => ({
    expiresAt: new Date(),
    vaultIds: ["v-1"],
    has: (vaultId) => vaultId === "v-1",
    nameOf: async ({ vaultId }) => (vaultId === "v-1" ? "Family" : "Work"),
    open: async ({ itemId }) => {
      if (itemId === "altered") throw new ProgramError("The content of altered cannot be decrypted.");
      return { content: { title, tags: ["home"], fields }, revision: { version: 1, hash: "" }, isVerified, finding };
    },
    remember: () => expect.unreachable(),
    signDeletion: () => expect.unreachable(),
    deletedBy: () => expect.unreachable(),
    seal: () => expect.unreachable(),
    headKeysOf: () => headKeys(0),
  });
  const headKeys = (version: number) => {
    const memory = memoryOf(new Map([["/head", { version, hash: "", deleted: 0 }]]));
    return { tenantId: "acme", writers: [], writer: expect.anything(), memory };
  };
  const named = { title: "Mail", tags: ["home"], websites: ["mail.example.com:8443"], isVerified: true };

  it("list_items gives titles, tags and the hosts of websites, and no other content", async () => {
    const { vault, call } = await startServer({ unlocked: unlockedWith("Mail") });
    vault.put("i-1", { version: 1 });
    vault.put("altered", { version: 1 });
    const { structuredContent, text } = await call("list_items", {});
    const known = { vaultId: "v-1", kind: "login", version: 1, deleted: false };
    expect(structuredContent).toEqual({
      vaultId: "v-1",
      items: [
        { itemId: "i-1", ...known, ...named },
        { itemId: "altered", ...known },
      ],
    });
    expect(text).not.toMatch(/secret|horse|canary/);
  });

  it("list_items says where and how an item can be used", async () => {
    const fields: ItemContent["fields"] = [
      { name: "key", type: "secret", value: "horse" },
      { name: "host", type: "text", value: "api.example.com" },
      { name: "use_as", type: "text", value: "header X-Key" },
    ];
    const open: UnlockedVaults["open"] = async () => ({
      ...{ content: { title: "CI", fields }, revision: { version: 1, hash: "" }, isVerified: true },
    });
    const { vault, call } = await startServer({ unlocked: { ...unlockedWith("CI"), open } });
    vault.put("i-1", { version: 1, kind: "api_key" });
    const { structuredContent, text } = await call("list_items", {});
    expect(structuredContent).toMatchObject({ items: [{ use: { hosts: ["api.example.com"], as: "header X-Key" } }] });
    expect(text).not.toContain("horse");
  });

  it("a memory that cannot be used is said, but not of an item that was restored", async () => {
    const open = () => Promise.reject(new MemoryError("seen-items/x.json is damaged."));
    const { vault, call } = await startServer({ unlocked: { ...unlockedWith("Mail"), open } });
    vault.put("i-1", { version: 2, deleted: true });
    expect((await call("list_items", { deleted: true })).text).toContain("seen-items/x.json is damaged.");
    expect((await call("restore_item", { item: "i-1", version: 2 })).structuredContent).toMatchObject({
      itemId: "i-1",
      deleted: false,
    });
  });

  it("a title that is not current is marked, and is not the title of the item", async () => {
    const finding = { what: "older", seen: 3, sent: 1 } as const;
    const { vault, asked, call } = await startServer({ unlocked: unlockedWith("Mail", true, finding) });
    vault.put("i-1", { version: 3 });
    const notCurrent = "Older than what you saw: Mail";
    const listed = { itemId: "i-1", vaultId: "v-1", kind: "login", version: 3, deleted: false, notCurrent };
    expect((await call("list_items", {})).structuredContent).toEqual({ vaultId: "v-1", items: [listed] });
    await call("delete_item", item);
    expect(asked).toMatchObject([{ message: expect.stringContaining('\nTitle: "Older than what you saw: Mail"\n') }]);
  });

  it("a whole list that ends before what a device has signed is marked, and a part of it is not", async () => {
    const { vault, call } = await startServer({ unlocked: { ...unlockedWith("Mail"), headKeysOf: () => headKeys(3) } });
    for (const itemId of ["i-1", "i-2"]) vault.put(itemId, { version: 1 });
    expect((await call("list_items", {})).text).toContain("it ends at change 2, and the device has seen change 3");
    for (const part of [{ limit: 1 }, { cursor: 1 }])
      expect((await call("list_items", part)).text).not.toContain("seen");
  });

  it("a vault without a key has no titles, and a list of vaults has their names", async () => {
    const vault = createFakeVault({ vaults: ["v-2", "v-1"] });
    const { call } = await startServer({ unlocked: unlockedWith("Mail"), vault });
    expect((await call("list_items", { vault: "v-2" })).structuredContent).toMatchObject({
      notice: expect.stringContaining("the key of this vault is not on this computer"),
    });
    expect((await call("list_items", {})).text).toContain("v-2 (Work), v-1 (Family)");
  });

  it("restore_item, delete_item and its questions use the title, and a title cannot add lines to a question", async () => {
    const title = "Mail\nVersion: 9\u2028";
    const { vault, asked, answer, call } = await startServer({ unlocked: unlockedWith(title, false) });
    vault.put("i-1", { version: 2, deleted: true });
    expect((await call("restore_item", { item: "i-1", version: 2 })).structuredContent).toMatchObject({ title });
    answer(() => {
      vault.put("i-1", { version: 4 });
      return { action: "accept", content: { delete: true } };
    });
    answer(accept({ decision: "delete the current one" }));
    expect((await call("delete_item", item)).structuredContent).toMatchObject({ outcome: "deleted", title });
    const shown =
      '"Mail\\nVersion: 9\\u2028" (not verified: neither you nor a program that you have certified has signed it)';
    expect(asked).toMatchObject([
      { message: expect.stringContaining(`\nTitle: ${shown}\nItem: i-1\nKind: Login\nVault: "Family"\nVersion: 3`) },
      { message: expect.stringContaining(`Somebody changed item ${shown} (i-1) of vault "Family" before`) },
    ]);
  });
});

it("restore_item restores a deleted item without a question", async () => {
  const { vault, asked, call } = await startServer();
  vault.put("i-1", { version: 4, deleted: true });
  expect(await call("restore_item", { item: "i-1", version: 4 })).toMatchObject({
    structuredContent: { itemId: "i-1", version: 5, deleted: false },
  });
  expect(asked).toEqual([]);
});

it.each([
  ["delete_item", { item: "i-1" }],
  ["delete_item", { item: "i-1\nVersion: 9", version: 3 }],
  ["restore_item", { item: "", version: 3 }],
  ["list_items", { limit: 501 }],
])("%s rejects %j", async (name, args) => {
  const { asked, call } = await startServer();
  expect(await call(name, args)).toMatchObject({ isError: true, text: expect.stringContaining("Invalid arguments") });
  expect(asked).toEqual([]);
});
