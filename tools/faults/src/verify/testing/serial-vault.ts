import type { ItemRequest, ItemResult } from "@platform-rpc/server/testing";
import type { ListResult } from "../../history/journal.ts";
import type { AuditRow, StoredChange } from "../../history/stored.ts";
import { createSerialItem } from "../../linear/testing/serial-item.ts";
import { fixture } from "../../load/plan.ts";

/** A vault that takes calls one after the other, and stores what a database of the platform does. */
export function createSerialVault(vaultId: string, firstPosition = 1) {
  const changes: StoredChange[] = [];
  const audit: AuditRow[] = [];
  const items = new Map<string, (request: ItemRequest) => ItemResult>();
  let by = { kind: "", requestId: "" };

  const commit = (itemId: string) => (version: number, deleted: boolean) => {
    const sequence = changes.length + 1;
    changes.push({ vaultId, itemId, version, state: deleted ? "deleted" : "live", sequence });
    const event = { delete: "deleted", restore: "restored" }[by.kind] ?? (version === 1 ? "created" : "replaced");
    const actor = { tenantId: "t", principalId: "p", oauthClientId: "c", tokenId: "k", operation: by.kind };
    const subject = {
      subjectTenantId: fixture.tenantId,
      subject: `item:${vaultId}/${itemId}`,
      event,
      requestId: by.requestId,
    };
    const position = firstPosition + audit.length;
    audit.push({ position, at: sequence, ...actor, ...subject, versionBefore: version - 1, versionAfter: version });
    return sequence;
  };
  return {
    changes,
    audit,
    /** Makes a call on an item. */
    call(itemId: string, request: ItemRequest, requestId: string): ItemResult {
      by = { kind: request.kind, requestId };
      const item = items.get(itemId) ?? createSerialItem(commit(itemId));
      items.set(itemId, item);
      return item(request);
    },
    /** Lists the newest change of each item after a position. */
    list(after: number, limit: number): ListResult {
      const shown = [...items].flatMap(([itemId, item]) => {
        const result = item({ kind: "get" });
        if (!result.ok || result.sequence <= after) return [];
        const { version, deleted, sequence, content } = result;
        return [{ itemId, version, deleted, sequence, content }];
      });
      const sorted = shown.sort((a, b) => a.sequence - b.sequence);
      const page = sorted.slice(0, limit);
      const more = page.length < sorted.length;
      const cursor = more ? (page.at(-1)?.sequence ?? 0) : changes.length;
      return { ok: true, cursor, more, items: page };
    },
  };
}
