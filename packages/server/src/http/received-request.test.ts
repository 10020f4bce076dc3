import { Socket } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ReceivedRequest } from "./received-request.js";

/** Delivers a body to a request as the parser of node:http does, one step for each chunk, and one for the end. */
function parserSteps(request: ReceivedRequest, chunks: readonly string[]): (() => void)[] {
  const end = () => {
    request.complete = true;
    request.push(null);
  };
  return [...chunks.map((chunk) => () => request.push(Buffer.from(chunk))), end];
}

const texts = fc.array(fc.string({ minLength: 1 }), { maxLength: 5 });

describe("a body that is taken from the parser (RFC 9112 section 6.3)", () => {
  it("is complete and ends once, whenever it is taken", () => {
    fc.assert(
      fc.property(texts, fc.nat(6), (chunks, at) => {
        const request = new ReceivedRequest(new Socket());
        const steps = parserSteps(request, chunks);
        const taken: (string | null)[] = [];
        const take = () => request.takeBody((chunk) => taken.push(chunk?.toString() ?? null));
        steps.splice(Math.min(at, steps.length), 0, take);
        for (const step of steps) step();
        expect(taken.at(-1)).toBeNull();
        expect(taken.filter((chunk) => chunk === null)).toHaveLength(1);
        expect(taken.join("")).toBe(chunks.join(""));
      }),
    );
  });

  it("is passed to a second function from the moment that function takes it", () => {
    const request = new ReceivedRequest(new Socket());
    const [first, second, end] = parserSteps(request, ["a", "b"]);
    const [earlier, later]: [unknown[], unknown[]] = [[], []];
    request.takeBody((chunk) => earlier.push(chunk?.toString()));
    first?.();
    request.takeBody((chunk) => later.push(chunk?.toString()));
    second?.();
    end?.();
    expect([earlier, later]).toEqual([["a"], ["b", undefined]]);
  });
});
