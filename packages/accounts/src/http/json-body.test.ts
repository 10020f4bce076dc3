import { globSync, readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { createAccountsSite, siteOrigin } from "../testing/accounts-site.js";
import { begin, makeRecovery } from "../testing/person.js";
import { createSoftwarePasskey } from "../testing/software-passkey.js";
import { jsonBody } from "./json-body.js";
import { ownCall } from "./own-call.js";

const text = z.string().max(9);

describe("DECISIONS section 9: every string and array from a browser has a bound", () => {
  it.each<[string, z.ZodType, string]>([
    ["a string", z.object({ name: z.string() }), "body.name"],
    ["a string with a pattern only", z.object({ name: z.string().regex(/^a$/) }), "body.name"],
    ["an optional string", z.object({ name: z.string().optional() }), "body.name"],
    ["an array", z.object({ list: z.array(text) }), "body.list"],
    ["the elements of an array", z.object({ list: z.array(z.string()).max(2) }), "body.list[]"],
    ["an array with a default", z.object({ list: z.array(z.enum(["a"])).default([]) }), "body.list"],
    ["one of several schemas", z.union([z.object({ a: text }), z.object({ b: z.string() })]), "body.b"],
    ["a value before it is converted", z.object({ at: z.iso.datetime().transform(Date.parse) }), "body.at"],
    ["an object whose members are not named", z.object({ all: z.record(text, text) }), "body.all.*"],
    ["an object with further members", z.looseObject({ a: text }), "body.*"],
    ["any value", z.object({ any: z.unknown() }), "body.any"],
  ])("a body in which %s has no bound is not created", (_, schema, path) => {
    expect(() => jsonBody(schema)).toThrow(path);
  });

  it("a body in which everything has a bound is created", () => {
    const schema = z.object({
      name: text.trim(),
      code: z.string().length(3),
      kind: z.enum(["a", "b"]),
      none: z.strictObject({}),
      list: z.array(z.object({ at: z.number(), on: z.boolean() })).max(3),
      how: z.discriminatedUnion("how", [
        z.object({ how: z.literal("x") }),
        z.object({ how: z.literal("y"), id: text }),
      ]),
    });
    const value = { name: " a ", code: "abc", kind: "a", none: {}, list: [], how: { how: "x" } };
    expect(jsonBody(schema).accept({ ...value, unknown: 1 })).toEqual({ ...value, name: "a" });
    expect(jsonBody(schema).accept({ ...value, code: "abcd" })).toBeUndefined();
  });

  it("no handler reads a body without its schema", () => {
    const folder = new URL("../", import.meta.url).pathname;
    const reading = globSync("**/*.ts", { cwd: folder, exclude: ["**/*.test.ts"] }).filter((file) =>
      /\breq\.(?:json|text|parseBody|arrayBuffer|blob)\(/.test(readFileSync(folder + file, "utf8")),
    );
    expect(reading).toEqual(["http/json-body.ts"]);
  });

  it("25,000 transports of a passkey are rejected, and leave no account, principal or vault", async () => {
    const site = await createAccountsSite();
    onTestFinished(site.close);
    const browser = site.openBrowser();
    const { accountId, passkey } = await begin(browser, "sign-up", { displayName: "Eve" });
    const { recovery } = await makeRecovery(accountId);
    const response = createSoftwarePasskey(siteOrigin).create(passkey);
    const transports = Array.from({ length: 25_000 }, () => "internal");
    const json = {
      passkey: { response: { ...response, response: { ...response.response, transports } }, name: "Laptop" },
      recovery,
    };
    const sent = await browser.send("/account/api/sign-up/finish", { json });
    expect(sent).toMatchObject({ status: 400, body: { reason: "INVALID_REQUEST" } });
    const vault = { access: "administrator", tenantId: "acme", vaultId: accountId } as const;
    const listed = await site.own.listChanges({ ...vault, afterSequence: 0, limit: 1 }, ownCall("test", site.secrets));
    expect(listed).toMatchObject({ ok: false, reason: "VAULT_NOT_FOUND" });
    expect(site.events).toEqual([]);
  });
});
