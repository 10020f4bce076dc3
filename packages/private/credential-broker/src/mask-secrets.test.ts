import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMasking, mask } from "./mask-secrets.js";

function masked(secrets: readonly string[], chunks: readonly Uint8Array[]): string {
  const masking = createMasking(secrets);
  return Buffer.concat([...chunks.map((chunk) => masking.push(chunk)), masking.end()]).toString();
}

const bytes = (text: string) => Buffer.from(text);

describe("masking", () => {
  it.each([
    [["hunter22"], ["my hun", "ter", "22!"], `my ${mask}!`],
    [["abc"], ["abc"], "abc"],
    [["\u001bc"], ["reset ", "\u001b", "c"], `reset ${mask}`],
    [["grüße"], ["die grüße da"], `die ${mask} da`],
    [["key\nline\n"], ["key\nline"], mask],
  ])("of %j in %j shows %j", (secrets, parts, shown) => {
    expect(masked(secrets, parts.map(bytes))).toBe(shown);
  });

  it("shows at once what cannot be the start of a secret: a question is not held back", () => {
    const masking = createMasking(["hunter22"]);
    expect(Buffer.from(masking.push(bytes("Name? "))).toString()).toBe("Name? ");
    expect(Buffer.from(masking.push(bytes("see h"))).toString()).toBe("see ");
  });

  it("shows no secret, and the same text however the output is split", () => {
    const letters = (least: number, most: number) =>
      fc.array(fc.constantFrom("a", "b", "c"), { minLength: least, maxLength: most }).map((list) => list.join(""));
    const pieces = fc.array(fc.oneof(letters(0, 12), fc.nat(3)), { maxLength: 8 });
    fc.assert(
      fc.property(
        fc.array(letters(4, 7), { minLength: 1, maxLength: 4 }),
        pieces,
        fc.array(fc.nat(40), { maxLength: 12 }),
        (secrets, parts, cuts) => {
          const text = parts.map((part) => (typeof part === "number" ? (secrets[part] ?? " ") : part)).join("");
          const at = [...new Set(cuts)].filter((cut) => cut < text.length).toSorted((one, other) => one - other);
          const chunks = [0, ...at].map((start, index) => bytes(text.slice(start, at[index])));
          const whole = masked(secrets, [bytes(text)]);
          expect(masked(secrets, chunks)).toBe(whole);
          for (const shown of whole.split(mask)) for (const secret of secrets) expect(shown).not.toContain(secret);
          if (!secrets.some((secret) => text.includes(secret))) expect(whole).toBe(text);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("changes no other bytes", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array()), (chunks) => {
        const masking = createMasking(["a secret that is nowhere"]);
        const shown = Buffer.concat([...chunks.map((chunk) => masking.push(chunk)), masking.end()]);
        expect(shown.equals(Buffer.concat(chunks))).toBe(true);
      }),
    );
  });
});
