import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { storedItem } from "../testing/stored-item.js";
import type { Decision } from "./decision.js";
import { type DeleteItemOutcome, decideDeleteItem } from "./delete-item.js";
import { type Item, type ItemContent, shreddedContent } from "./item.js";
import { decidePutItem, type PutItemOutcome } from "./put-item.js";
import { decideRestoreItem, type RestoreItemOutcome } from "./restore-item.js";
import { decideShredItem } from "./shred-item.js";
import type { ItemSnapshot } from "./vault.js";

const day = 24 * 60 * 60 * 1000;
const ref = { tenantId: "t-1", vaultId: "v-1", itemId: "i-1" };
const actor = {
  ...ref,
  principalId: "p-1",
  oauthClientId: "c-1",
  tokenId: "jti-1",
  operation: "any",
  requestId: "r-1",
};

const contentOf = (letter: string): ItemContent => ({
  kind: "login",
  titleHash: `title-${letter}`,
  encryptedPayload: { alg: "A256GCM", nonce: "n", aad: "a", ciphertext: `secret-${letter}`, version: 1 },
  wrappedKeys: [{ recipientId: "u-1", wrapAlg: "A256KW", wrappedKey: `key-${letter}` }],
});

type Step =
  | { readonly do: "put"; readonly base: number; readonly letter: string }
  | { readonly do: "delete" | "restore"; readonly base: number }
  | { readonly do: "shred" }
  | { readonly do: "wait"; readonly days: number };

/** Base versions relative to the item's version: mostly right, otherwise near it, where the rules differ. */
const base = fc.constantFrom(0, 0, 0, 0, -1, -1, -2, 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("put"), base, letter: fc.constantFrom("x", "y") }),
  fc.record({ do: fc.constantFrom("delete", "restore"), base }),
  fc.record({ do: fc.constant("shred") }),
  fc.record({ do: fc.constant("wait"), days: fc.constantFrom(0.5, 1, 30) }),
);

/** An independent model of the rules, as a history of events: no items, no decisions. */
function createModel(retentionDays: number) {
  const history: { readonly what: "put" | "delete" | "restore"; readonly at: number; readonly letter: string }[] = [];
  let shredded = false;
  const head = () => history.at(-1);
  const live = () => head() !== undefined && head()?.what !== "delete";
  const over = (now: number) => now - (head()?.at ?? now) >= retentionDays * day;
  const add = (what: "put" | "delete" | "restore", at: number, letter: string) => {
    history.push({ what, at, letter });
    shredded = what === "delete" && retentionDays === 0;
    return "written";
  };
  const letter = () => head()?.letter ?? "";

  return {
    version: () => history.length,
    live,
    shredded: () => shredded,
    updatedAt: () => head()?.at,
    letter,
    put(version: number, put: string, now: number): string {
      if (history.length === 0) return version === 0 ? add("put", now, put) : "ITEM_NOT_FOUND";
      if (live() && version === history.length) return add("put", now, put);
      return live() && version === history.length - 1 && put === letter() ? "same" : "VERSION_CONFLICT";
    },
    delete(version: number, now: number): string {
      if (history.length === 0) return "ITEM_NOT_FOUND";
      if (live()) return version === history.length ? add("delete", now, letter()) : "VERSION_CONFLICT";
      return version === history.length || version === history.length - 1 ? "same" : "VERSION_CONFLICT";
    },
    restore(version: number, now: number): string {
      if (history.length === 0) return "ITEM_NOT_FOUND";
      if (live() || version !== history.length) return "VERSION_CONFLICT";
      return shredded || over(now) ? "ITEM_SHREDDED" : add("restore", now, letter());
    },
    shred(now: number): boolean {
      const due = history.length > 0 && !live() && !shredded && over(now);
      shredded ||= due;
      return due;
    },
  };
}

/** Applies decisions as a storage does: a change gets the vault's next sequence, a shred keeps its sequence. */
function createVaultOfOne(retentionDays: number) {
  const vault = { tenantId: "t-1", vaultId: "v-1", retentionDays, accessRevision: 0 };
  let item: Item | undefined;
  let head = 0;
  return {
    item: () => item,
    head: () => head,
    snapshot: () => ({ vault, role: "owner", item: item && storedItem(item), floor: 0 }),
    apply<Outcome>({ outcome, writes }: Decision<Outcome>): Outcome {
      for (const write of writes) {
        if (write.kind === "change") {
          head += 1;
          const content = write.content ?? item;
          if (content === undefined) throw new Error("a new item has no content");
          item = { ...content, ...write.item, sequence: head };
        }
        if (write.kind === "shred" && item !== undefined) {
          item = { ...shreddedContent(item), ...write.item, sequence: item.sequence };
        }
      }
      return outcome;
    },
  };
}

type Model = ReturnType<typeof createModel>;
type Outcome = PutItemOutcome | DeleteItemOutcome | RestoreItemOutcome;

/** Runs a step on the model and on the rules. */
function runBoth(
  step: Exclude<Step, { do: "shred" | "wait" }>,
  model: Model,
  snapshot: ItemSnapshot,
  now: number,
): { version: number; expected: string; decision: Decision<Outcome> } {
  const version = Math.max(0, model.version() + step.base);
  switch (step.do) {
    case "put": {
      const decision = decidePutItem(snapshot, ref, contentOf(step.letter), version, actor, now);
      return { version, decision, expected: model.put(version, step.letter, now) };
    }
    case "delete": {
      const decision = decideDeleteItem(snapshot, version, actor, now);
      return { version, decision, expected: model.delete(version, now) };
    }
    case "restore": {
      const decision = decideRestoreItem(snapshot, version, actor, now);
      return { version, decision, expected: model.restore(version, now) };
    }
  }
}

/** Expects the item to match the model. */
function expectSame(item: Item | undefined, model: Model): void {
  expect(item?.version ?? 0).toBe(model.version());
  expect(item?.sequence ?? 0).toBe(model.version());
  expect(item?.updatedAt).toBe(model.updatedAt());
  if (item === undefined) return;
  expect(item.state).toBe(model.live() ? "live" : model.shredded() ? "shredded" : "deleted");
  expect(item.shredAt !== undefined).toBe(item.state === "deleted");
  const whole = contentOf(model.letter());
  const emptied = { nonce: "", aad: "", ciphertext: "" };
  expect(item).toMatchObject(
    model.shredded()
      ? { titleHash: "", wrappedKeys: [], encryptedPayload: { ...whole.encryptedPayload, ...emptied } }
      : whole,
  );
}

describe("an item over any history of put, delete, restore, shred and time (DECISIONS section 3, INTERNAL)", () => {
  it("matches the model: each change adds 1 to version and sequence, everything else changes nothing", () => {
    const reached = new Map<string, number>();
    const history = fc.array(step, { minLength: 10, maxLength: 40, size: "max" });
    const property = fc.property(fc.constantFrom(0, 1, 30), history, (retentionDays, steps) => {
      const model = createModel(retentionDays);
      const stored = createVaultOfOne(retentionDays);
      let now = 1_700_000_000_000;
      for (const step of steps) {
        now += 1;
        if (step.do === "wait") {
          now += step.days * day;
          continue;
        }
        const before = stored.item();
        const head = stored.head();
        if (step.do === "shred") {
          const expected = model.shred(now);
          expect(stored.apply(decideShredItem(stored.snapshot(), actor, now))).toBe(expected);
          expect(stored.head()).toBe(head);
          if (!expected) expect(stored.item()).toBe(before);
        } else {
          const { version, expected, decision } = runBoth(step, model, stored.snapshot(), now);
          const outcome = stored.apply(decision);
          reached.set(expected, (reached.get(expected) ?? 0) + 1);
          if (expected === "written") {
            expect(outcome.ok).toBe(true);
            expect(stored.head()).toBe(head + 1);
            expect(decision.writes.filter(({ kind }) => kind === "audit")).toHaveLength(1);
          } else {
            expect(decision.writes).toEqual([]);
            expect(outcome).toMatchObject(
              expected === "same" ? { ok: true, item: before } : { ok: false, reason: expected },
            );
          }
          if (expected === "VERSION_CONFLICT") {
            expect(outcome).toMatchObject({
              conflict: {
                baseVersion: version,
                currentVersion: model.version(),
                deleted: !model.live(),
                sequence: before?.sequence,
              },
            });
          }
        }
        expectSame(stored.item(), model);
      }
    });
    fc.assert(property, { numRuns: 300 });
    // Guards against a property that passes because it never reaches these outcomes.
    for (const answer of ["written", "same", "VERSION_CONFLICT", "ITEM_NOT_FOUND", "ITEM_SHREDDED"]) {
      expect(reached.get(answer), answer).toBeGreaterThan(20);
    }
  });
});
