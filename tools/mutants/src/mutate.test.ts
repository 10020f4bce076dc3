import { expect, test } from "vitest";
import { type Mutant, newSurvivors } from "./mutant.ts";
import { mutate } from "./mutate.ts";

const source = `
export function decide(held: number, wanted: number, open: boolean): object {
  if (held >= wanted && !open) return { ok: false };
  return { ok: true, writes: [audit({ event: "closed" })] };
}
function audit(record: object): object {
  return record;
}
export const longest = 60 > 5;
`;

function mutantsOf(file: string, text: string): Mutant[] {
  const mutants: Mutant[] = [];
  mutate(file, text, (mutant) => mutants.push(mutant));
  return mutants;
}

/** Runs the compiled source with the active mutant. */
function run(kind: Mutant["kind"], text: string, args: readonly unknown[]): unknown {
  const active = mutantsOf("a.ts", source).findIndex((mutant) => mutant.kind === kind && mutant.text === text) + 1;
  let count = 0;
  const code = mutate("a.ts", source, () => ++count).replaceAll("export ", "");
  return new Function("mutant", "args", `${code}\nreturn decide(...args);`)((id: number) => id === active, args);
}

test("inverts comparisons, forces the other parts of conditions, and deletes statements, writes and members", () => {
  expect(mutantsOf("a.ts", source).map(({ within, kind, text }) => `${within} · ${kind} · ${text}`)).toEqual([
    "decide · inverted · held >= wanted",
    "decide · always true · open",
    "decide · always false · open",
    "decide · deleted · if (held >= wanted && !open) return { ok: false };",
    'decide · deleted · event: "closed"',
    'decide · deleted · audit({ event: "closed" })',
  ]);
});

const rejected = { ok: false };
const decided = { ok: true, writes: [{ event: "closed" }] };
test.each<[Mutant["kind"], string, readonly unknown[], unknown]>([
  ["inverted", "none", [2, 1, false], rejected],
  ["inverted", "none", [1, 2, false], decided],
  ["inverted", "held >= wanted", [2, 1, false], decided],
  ["inverted", "held >= wanted", [1, 2, false], rejected],
  ["always true", "open", [2, 1, false], decided],
  ["always false", "open", [2, 1, true], rejected],
  ["deleted", "if (held >= wanted && !open) return { ok: false };", [2, 1, false], decided],
  ["deleted", 'event: "closed"', [1, 2, false], { ok: true, writes: [{}] }],
  ["deleted", 'audit({ event: "closed" })', [1, 2, false], { ok: true, writes: [] }],
])("with the mutant %s: %s, the arguments %j give %j", (kind, text, args, result) => {
  expect(run(kind, text, args)).toEqual(result);
});

test("a survivor in a file that has moved is not a new one, and a second survivor with the same text is", () => {
  const survivor: Mutant = { file: "a.ts", within: "decideOpen", kind: "inverted", text: "a === b" };
  const moved = { ...survivor, file: "merged.ts", within: "open" };
  expect(newSurvivors([survivor], [moved, { ...moved, kind: "deleted", killedBy: "a test" }])).toEqual([]);
  expect(newSurvivors([survivor], [moved, moved])).toEqual([moved]);
  expect(newSurvivors([{ ...survivor, killedBy: "a test" }], [moved])).toEqual([moved]);
});
