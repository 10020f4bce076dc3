import { createItemModel, type ItemRequest, type ItemResult } from "@platform-rpc/server/testing";
import type { AuditRow, StoredChange } from "../../history/history-file.ts";
import type { ListResult } from "../../history/journal.ts";
import { fixture } from "../../load/plan.ts";

const model = createItemModel(30);

type State = typeof model.initial & { readonly sequence: number };
const absent: State = { ...model.initial, sequence: 0 };
const events: Partial<Record<ItemRequest["kind"], string>> = { delete: "deleted", restore: "restored" };

/** A vault that takes calls one after the other, and stores what a database of the platform does. */
export function createSerialVault(vaultId: string, firstPosition = 1) {
  const changes: StoredChange[] = [];
  const audit: AuditRow[] = [];
  const items = new Map<string, State>();

  const commit = (
    itemId: string,
    { kind }: ItemRequest,
    requestId: string,
    { version, deleted }: typeof model.initial,
  ) => {
    const sequence = changes.length + 1;
    changes.push({ vaultId, itemId, version, state: deleted ? "deleted" : "live", sequence });
    const event = events[kind] ?? (version === 1 ? "created" : "replaced");
    audit.push({
      ...{ position: firstPosition + audit.length, at: sequence, subjectTenantId: fixture.tenantId },
      ...{ subject: `item:${vaultId}/${itemId}`, event, versionBefore: version - 1, versionAfter: version },
      ...{ tenantId: "t", principalId: "p", oauthClientId: "c", tokenId: "k", operation: kind, requestId },
    });
    return sequence;
  };
  return {
    changes,
    audit,
    /** Makes a call on an item. Returns what the model accepts. */
    call(itemId: string, request: ItemRequest, requestId: string): ItemResult {
      const before = items.get(itemId) ?? absent;
      const changed = model.step(before, request, undefined);
      const after = changed ? { ...changed, sequence: commit(itemId, request, requestId, changed) } : before;
      if (changed !== undefined) items.set(itemId, after);
      const { version, deleted, content, sequence } = after;
      const shown = { ok: true, version, deleted, content, sequence } as const;
      if (changed !== undefined) return shown;
      const conflict = { ok: false, reason: "VERSION_CONFLICT", version, deleted, sequence } as const;
      const possible: readonly ItemResult[] = [shown, conflict, { ok: false, reason: "ITEM_NOT_FOUND" }];
      const result = possible.find((each) => model.step(before, request, each) !== undefined);
      if (result === undefined) throw new Error(`The model has no result for ${JSON.stringify(request)}.`);
      return result;
    },
    list(after: number): ListResult {
      const shown = [...items].flatMap(([itemId, { version, deleted, content, sequence }]) =>
        sequence > after ? [{ itemId, version, deleted, sequence, content }] : [],
      );
      return { ok: true, cursor: changes.length, more: false, items: shown.sort((a, b) => a.sequence - b.sequence) };
    },
  };
}
