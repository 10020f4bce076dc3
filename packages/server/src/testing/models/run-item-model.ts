import fc from "fast-check";
import { expect } from "vitest";
import type { ItemContent } from "../../domain/model/item.js";
import { content } from "../cases/item-case.js";
import type { ItemAnswer, ItemDriver } from "../cases/run-item-cases.js";
import { createItemModel, type ItemRequest, type ItemResult, type ShredRequest } from "./item.js";

/** A command. `off` is its base version relative to the version of the model: mostly right, otherwise where the rules differ. */
const command = fc.record({
  verb: fc.constantFrom("put", "put", "delete", "delete", "restore", "shred", "get", "role"),
  itemId: fc.constantFrom("item-1", "item-2"),
  off: fc.constantFrom(0, 0, 0, 0, -1, -1, -2, 1),
  mark: fc.constantFrom("a", "b"),
  role: fc.constantFrom("member", "owner", "member", "viewer", undefined),
});

/** Commands that are made in one turn of the event loop, after some half days. */
const group = fc.record({
  halfDays: fc.constantFrom(0, 0, 1, 3, 60),
  commands: fc.array(command, { maxLength: 8, size: "max" }),
});

/**
 * Makes random calls, and expects every result to be the one that the model has at that moment: calls take effect in the order in
 * which they were made, each change adds 1 to the sequence of the vault, and everything else changes nothing.
 *
 * @returns how often each kind of result was seen
 */
export async function runItemModel(
  open: () => ItemDriver,
  { numRuns, at }: { readonly numRuns: number; readonly at: () => number },
): Promise<ReadonlyMap<string, number>> {
  const reached = new Map<string, number>();
  const count = (what: string) => reached.set(what, (reached.get(what) ?? 0) + 1);
  const property = fc.asyncProperty(
    fc.constantFrom(0, 1, 2, 30),
    fc.array(group, { minLength: 1, maxLength: 8, size: "max" }),
    async (retentionDays, groups) => {
      const { host, caller, call } = open();
      const { time } = host;
      if (time === undefined) throw new Error("The model needs a host that lets time pass.");
      const vault = { tenantId: caller.tenantId, vaultId: `v-${crypto.randomUUID()}` };
      let role: string | undefined = "member";
      await host.createVault({ ...vault, retentionDays, role, floor: 0 });
      const model = createItemModel(retentionDays);
      const states = new Map(["item-1", "item-2"].map((itemId) => [itemId, model.initial]));
      let head = 0;

      for (const { halfDays, commands } of groups) {
        time.pass(1 + (halfDays * 24 * 60 * 60 * 1000) / 2);
        const predicted = new Map(states);
        const begun = commands.map(({ verb, itemId, off, mark, role: next }) => {
          const ref = { ...vault, itemId };
          if (verb === "role") {
            role = next;
            return { rejection: undefined, ended: host.setRole(vault, next) };
          }
          const before = predicted.get(itemId) ?? model.initial;
          const baseVersion = Math.max(0, before.version + off);
          const request = requestOf(verb, baseVersion, mark, at());
          const rejection = verb === "shred" ? undefined : rejectionOf(role, verb);
          if (rejection === undefined) predicted.set(itemId, model.step(before, request, undefined) ?? before);
          const ended = request.kind === "shred" ? time.shred(ref) : call(ref, callOf(request));
          return { itemId, request, rejection, ended };
        });
        const results = await Promise.all(begun.map(({ ended }) => ended));

        for (const [index, { itemId = "", request, rejection }] of begun.entries()) {
          if (request === undefined) continue;
          const result = results[index];
          const state = states.get(itemId) ?? model.initial;
          if (typeof result === "boolean") {
            const shredded = model.step(state, request, undefined);
            expect(result, `${describe(request)} of ${model.keyOf(state)}`).toBe(shredded !== undefined);
            if (shredded !== undefined) states.set(itemId, shredded);
            count(result ? "shredded" : "not shredded");
            continue;
          }
          if (typeof result !== "object") throw new Error("A call has no result.");
          const answer = resultOf(result);
          if (rejection !== undefined) {
            expect(answer).toEqual({ ok: false, reason: rejection });
            count(rejection);
            continue;
          }
          const next = model.step(state, request, answer);
          if (next === undefined)
            throw new Error(`${describe(request)} of ${model.keyOf(state)} returned ${JSON.stringify(answer)}.`);
          if (next.version > state.version) {
            head += 1;
            expect(next.sequence).toBe(head);
          }
          count(answer.ok ? (next.version > state.version ? "changed" : "unchanged") : answer.reason);
          states.set(itemId, next);
        }
        expect(await host.head?.(vault.tenantId, vault.vaultId)).toBe(head);
      }
    },
  );
  await fc.assert(property, { numRuns });
  return reached;
}

function rejectionOf(role: string | undefined, verb: string): string | undefined {
  if (role === undefined) return "VAULT_NOT_FOUND";
  if (role !== "viewer" || verb === "get") return undefined;
  return verb === "delete" ? "ROLE_FORBIDS_DELETE" : "ROLE_FORBIDS_CHANGE";
}

function requestOf(
  verb: (ItemRequest | ShredRequest)["kind"],
  baseVersion: number,
  mark: string,
  at: number,
): ItemRequest | ShredRequest {
  if (verb === "get") return { kind: verb };
  if (verb === "shred") return { kind: verb, at };
  return verb === "put" ? { kind: verb, baseVersion, content: mark, at } : { kind: verb, baseVersion, at };
}

const contentOf = (mark: string): ItemContent => ({ ...content, titleHash: mark });

function callOf(request: ItemRequest) {
  switch (request.kind) {
    case "get":
      return { operation: "GetItem" } as const;
    case "put":
      return {
        operation: "PutItem",
        baseVersion: request.baseVersion,
        content: contentOf(request.content),
      } as const;
    case "delete":
      return { operation: "DeleteItem", baseVersion: request.baseVersion } as const;
    case "restore":
      return { operation: "RestoreItem", baseVersion: request.baseVersion } as const;
  }
}

function resultOf(answer: ItemAnswer): ItemResult {
  if (answer.ok) {
    const { item, cursor } = answer;
    return {
      ok: true,
      version: item.version,
      deleted: item.deleted,
      sequence: cursor.sequence,
      content: item.titleHash,
    };
  }
  const { reason, conflict } = answer;
  if (reason !== "VERSION_CONFLICT" || conflict === undefined) return { ok: false, reason };
  const { currentVersion: version, deleted, cursor } = conflict;
  return { ok: false, reason, version, deleted, sequence: cursor.sequence };
}

const describe = (request: ItemRequest | ShredRequest) => JSON.stringify(request);
