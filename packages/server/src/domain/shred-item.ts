import type { Actor } from "./model/actor.js";
import { audit } from "./model/audit.js";
import { type Decision, unchanged } from "./model/decision.js";
import type { ItemSnapshot } from "./model/vault.js";
import { defineRule } from "./rule.js";

export const shredItem = defineRule(decideShredItem);

/** Erases the content of a tombstone whose retention has ended. Changes neither version, updatedAt nor sequence. */
function decideShredItem({ item }: ItemSnapshot, actor: Actor, now: number): Decision<boolean> {
  if (item === undefined || item.shredAt === undefined || now < item.shredAt) return unchanged(false);
  const { content: _, earlier: __, sequence: ___, ...tombstone } = item;
  return {
    outcome: true,
    writes: [
      { kind: "shred", item: { ...tombstone, state: "shredded", shredAt: undefined } },
      audit(actor, now, {
        subjectTenantId: item.tenantId,
        subject: `item:${item.vaultId}/${item.itemId}`,
        event: "shredded",
        versionBefore: item.version,
        versionAfter: item.version,
      }),
    ],
  };
}
