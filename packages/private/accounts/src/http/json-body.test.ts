import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { jsonBody } from "./json-body.js";

const text = z.string().max(9);

describe("DECISIONS section 9: every string and array from a browser has a bound", () => {
  it.each<[string, z.ZodType, string]>([
    ["a string", z.object({ name: z.string() }), "body.name"],
    ["an optional string", z.object({ name: z.string().optional() }), "body.name"],
    ["the elements of an array", z.object({ list: z.array(z.string()).max(2) }), "body.list[]"],
    ["an array with a default", z.object({ list: z.array(z.enum(["a"])).default([]) }), "body.list"],
    ["one of several schemas", z.union([z.object({ a: text }), z.object({ b: z.string() })]), "body.b"],
    ["a value before it is converted", z.object({ at: z.iso.datetime().transform(Date.parse) }), "body.at"],
    ["an object whose members are not named", z.object({ all: z.record(text, text) }), "body.all.*"],
    ["an object with further members", z.looseObject({ a: text }), "body.*"],
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
    expect(jsonBody(schema).safeParse({ ...value, unknown: 1 }).data).toEqual({ ...value, name: "a" });
    expect(jsonBody(schema).safeParse({ ...value, code: "abcd" }).data).toBeUndefined();
  });

  it("no handler reads a body without its schema", () => {
    const folder = new URL("../", import.meta.url).pathname;
    const reading = globSync("**/*.ts", { cwd: folder, exclude: ["**/*.test.ts"] }).filter((file) =>
      /\breq\.(?:json|text|parseBody|arrayBuffer|blob)\(/.test(readFileSync(folder + file, "utf8")),
    );
    // The forms of OAuth have a largest length of each parameter.
    expect(reading.sort()).toEqual(["http/json-body.ts", "oauth/read-form.ts"]);
  });
});
