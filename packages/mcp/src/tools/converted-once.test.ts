import { expect, it } from "vitest";
import * as z from "zod";
import { convertedOnce } from "./converted-once.js";

const options = { target: "draft-2020-12" } as const;

it("a schema is converted to JSON Schema once for each direction, and nobody can change the result", () => {
  const { "~standard": original } = z.object({ count: z.int().default(1) });
  const directions: string[] = [];
  const counting =
    (direction: "input" | "output") =>
    (...args: Parameters<typeof original.jsonSchema.input>) => {
      directions.push(direction);
      return original.jsonSchema[direction](...args);
    };
  const jsonSchema = { input: counting("input"), output: counting("output") };
  const { "~standard": converted } = convertedOnce({ "~standard": { ...original, jsonSchema } });
  const [input, again] = [converted.jsonSchema.input(options), converted.jsonSchema.input(options)];
  expect(again).toBe(input);
  expect(converted.jsonSchema.output(options)).toMatchObject({ required: ["count"] });
  expect(input).toEqual(original.jsonSchema.input(options));
  expect(directions).toEqual(["input", "output"]);
  expect([input, ...Object.values(input)].every(Object.isFrozen)).toBe(true);
});

it("a converted schema checks values as before", async () => {
  const { "~standard": standard } = convertedOnce(z.object({ count: z.int().default(1) }));
  expect(await standard.validate({})).toEqual({ value: { count: 1 } });
  expect((await standard.validate({ count: "one" })).issues).toHaveLength(1);
});
