import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Item, ItemChange, VersionConflict } from "../../domain/item.js";
import type { Committed } from "../../ports/storage.js";
import { type Fixture, itemRef, principalId, tenantId } from "./fixture.js";
import type { Harness } from "./harness.js";

const day = 24 * 60 * 60 * 1000;

interface ModelItem {
  state: "live" | "deleted" | "shredded";
  version: number;
  sequence: number;
  mark: string;
  shredAt: number;
}

/** An independent in-memory model of the state machine of items (DECISIONS section 3). */
interface Model {
  readonly vaultId: string;
  readonly retentionDays: number;
  now: number;
  head: number;
  role: string | undefined;
  readonly items: Map<string, ModelItem>;
}

/** A command. `off` is its base version relative to the version of the model. */
interface Command {
  readonly verb: "put" | "delete" | "restore" | "shred" | "role";
  readonly itemId: string;
  readonly off: number;
  readonly mark: string;
  readonly role: string | undefined;
}

const command: fc.Arbitrary<Command> = fc.record({
  verb: fc.constantFrom("put", "put", "delete", "delete", "restore", "shred", "role"),
  itemId: fc.constantFrom("item-1", "item-2"),
  off: fc.constantFrom(0, 0, 0, 0, -1, -2, 1),
  mark: fc.constantFrom("a", "b"),
  role: fc.constantFrom("member", "owner", "member", "viewer", undefined),
});

/** Commands that are issued concurrently, after the clock has advanced by some half days. */
const group = fc.record({ halfDays: fc.constantFrom(0, 0, 1, 3), commands: fc.array(command, { maxLength: 8 }) });

function expected(model: Model, { verb, itemId, mark, role }: Command, baseVersion: number): string {
  const item = model.items.get(itemId);
  if (verb === "role") {
    model.role = role;
    return "done";
  }
  if (verb === "shred") {
    const due = item?.state === "deleted" && model.now >= item.shredAt;
    if (due) Object.assign(item, { state: "shredded", mark: "" });
    return String(due);
  }
  if (verb === "delete" && model.role === undefined) return "VAULT_NOT_FOUND";
  if (verb === "delete" && model.role === "viewer") return "ROLE_FORBIDS_DELETE";
  if (item === undefined && !(verb === "put" && baseVersion === 0)) return "ITEM_NOT_FOUND";

  if (item !== undefined) {
    const retried = verb === "put" && item.state === "live" && item.version === baseVersion + 1 && item.mark === mark;
    const alreadyDeleted = verb === "delete" && item.state !== "live" && [0, 1].includes(item.version - baseVersion);
    if (retried || alreadyDeleted) return format(item);
    const ready = verb === "restore" ? item.state !== "live" : item.state === "live";
    if (!ready || item.version !== baseVersion) return `VERSION_CONFLICT v${item.version} #${item.sequence}`;
    if (verb === "restore" && (item.state === "shredded" || model.now >= item.shredAt)) return "ITEM_SHREDDED";
  }

  model.head += 1;
  const next: ModelItem = {
    state: verb !== "delete" ? "live" : model.retentionDays === 0 ? "shredded" : "deleted",
    version: baseVersion + 1,
    sequence: model.head,
    mark: verb === "put" ? mark : (item?.mark ?? ""),
    shredAt: model.now + model.retentionDays * day,
  };
  if (next.state === "shredded") next.mark = "";
  model.items.set(itemId, next);
  return format(next);
}

async function actual(fixture: Fixture, { vaultId }: Model, command: Command, baseVersion: number): Promise<string> {
  const ref = itemRef(command.itemId, vaultId);
  switch (command.verb) {
    case "put":
      return formatResult(await fixture.put(ref, command.mark, baseVersion));
    case "delete":
      return formatResult(await fixture.remove(ref, baseVersion));
    case "restore":
      return formatResult(await fixture.restore(ref, baseVersion));
    case "shred":
      return String(await fixture.shred(ref));
    case "role":
      await fixture.write({ kind: "member", tenantId, vaultId, principalId, role: command.role });
      return "done";
  }
}

type Answer =
  | { readonly ok: true; readonly item: Item | ItemChange }
  | { readonly ok: false; readonly reason: "VERSION_CONFLICT"; readonly conflict: VersionConflict }
  | { readonly ok: false; readonly reason: string; readonly conflict?: undefined };

function formatResult({ outcome, sequence }: Committed<Answer>): string {
  if (outcome.ok) {
    const { item } = outcome;
    const position = sequence ?? ("sequence" in item ? item.sequence : Number.NaN);
    return format({ ...item, sequence: position, mark: item.encryptedPayload.ciphertext });
  }
  const { reason, conflict } = outcome;
  return conflict === undefined ? reason : `${reason} v${conflict.currentVersion} #${conflict.sequence}`;
}

function format({ state, version, sequence, mark }: Omit<ModelItem, "shredAt">): string {
  return `${state} v${version} #${sequence} ${mark}`;
}

export function describeItemModel({ open }: Harness): void {
  describe("model: items under random concurrent calls", () => {
    it("are changed in the order in which concurrent calls were issued, and end in the state of the model", async () => {
      const fixture = await open();
      let vaults = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(group, { maxLength: 8 }), fc.constantFrom(0, 1, 2), async (groups, retentionDays) => {
          vaults += 1;
          const vaultId = `vault-${vaults}`;
          await fixture.createVault(vaultId, retentionDays);
          const items = new Map<string, ModelItem>();
          const model: Model = { vaultId, retentionDays, now: fixture.clock.now(), head: 0, role: "member", items };
          for (const { halfDays, commands } of groups) {
            fixture.clock.advance((halfDays * day) / 2);
            model.now = fixture.clock.now();
            const predicted: string[] = [];
            const calls = commands.map((each) => {
              const baseVersion = Math.max(0, (items.get(each.itemId)?.version ?? 0) + each.off);
              predicted.push(`${each.verb}: ${expected(model, each, baseVersion)}`);
              return actual(fixture, model, each, baseVersion).then((answer) => `${each.verb}: ${answer}`);
            });
            expect(await Promise.all(calls)).toEqual(predicted);
          }
          const page = await fixture.storage.listChanges({ tenantId, vaultId, afterSequence: 0, limit: 9 });
          const newestLast = [...items.values()].sort((a, b) => a.sequence - b.sequence);
          expect(page.head).toBe(model.head);
          expect(page.items.map((item) => format({ ...item, mark: item.encryptedPayload.ciphertext }))).toEqual(
            newestLast.map(format),
          );
        }),
        { numRuns: 60 },
      );
    });
  });
}
