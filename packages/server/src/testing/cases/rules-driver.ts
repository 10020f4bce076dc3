import type { AuditRow } from "../../domain/audit-seal.js";
import type { Decision, Write } from "../../domain/decision.js";
import { type Item, type ItemRef, type StoredItem, shreddedContent } from "../../domain/item.js";
import type { BoundRule } from "../../domain/rule.js";
import type { ItemSnapshot, Vault } from "../../domain/vault.js";
import type { Ref, Snapshots } from "../../ports/storage.js";
import type { ItemDriver } from "./run-item-cases.js";
import { type CaseClock, createStorageDriver, type ItemStorage } from "./storage-driver.js";

/** A vault in memory. */
interface VaultData {
  vault: Vault;
  head: number;
  floor: number;
  readonly roles: Map<string, string>;
  readonly items: Map<string, Item>;
}

/** Applies the rules of items and nothing else: no queue, no threads, no files. Counts how often a content is loaded. */
export function createRulesDriver(clock: CaseClock, access: "member" | "administrator"): ItemDriver {
  const vaults = new Map<string, VaultData>();
  const audit: AuditRow[] = [];
  let loads = 0;
  const dataOf = ({ tenantId, vaultId }: Pick<ItemRef, "tenantId" | "vaultId">) => vaults.get(`${tenantId}/${vaultId}`);

  const stored = ({ kind, titleHash, encryptedPayload, wrappedKeys, ...status }: Item): StoredItem => ({
    ...status,
    content() {
      loads += 1;
      return { kind, titleHash, encryptedPayload, wrappedKeys };
    },
  });

  /** The snapshot of an item or of a vault: the second is a part of the first. */
  const load = (ref: Extract<Ref, { kind: "item" | "vault" }>): ItemSnapshot => {
    const data = dataOf(ref);
    const principalId = ref.kind === "item" ? ref.principalId : undefined;
    const role = principalId === undefined ? undefined : data?.roles.get(principalId);
    const item = ref.kind === "item" ? data?.items.get(ref.itemId) : undefined;
    const visible = principalId === undefined || role !== undefined;
    return {
      vault: data?.vault,
      role,
      item: visible && item !== undefined ? stored(item) : undefined,
      floor: data?.floor ?? 0,
    };
  };

  const commit = (write: Write): number | undefined => {
    if (write.kind === "vault") {
      const { vault } = write;
      const fresh = { vault, head: 0, floor: 0, roles: new Map(), items: new Map() };
      vaults.set(`${vault.tenantId}/${vault.vaultId}`, fresh);
      return undefined;
    }
    if (write.kind === "audit") {
      audit.push({ ...write.record, position: audit.length + 1 });
      return undefined;
    }
    const data = write.kind === "member" ? dataOf(write) : "item" in write ? dataOf(write.item) : undefined;
    if (data === undefined) throw new Error(`The rules of items do not write: ${write.kind}.`);
    if (write.kind === "member") {
      if (write.role === undefined) data.roles.delete(write.principalId);
      else data.roles.set(write.principalId, write.role);
      return undefined;
    }
    if (write.kind !== "change" && write.kind !== "shred")
      throw new Error(`The rules of items do not write: ${write.kind}.`);
    const { itemId } = write.item;
    const before = data.items.get(itemId);
    if (write.kind === "shred") {
      if (before === undefined) throw new Error("An item without content was shredded.");
      data.items.set(itemId, { ...shreddedContent(before), ...write.item, sequence: before.sequence });
      return undefined;
    }
    const content = write.content ?? before;
    if (content === undefined) throw new Error("An item was created without content.");
    data.head += 1;
    data.items.set(itemId, { ...content, ...write.item, sequence: data.head });
    return data.head;
  };

  const storage: ItemStorage = {
    async transact<R extends Ref, Outcome>(ref: R, { decide }: BoundRule<Snapshots[R["kind"]], Outcome>) {
      if (ref.kind !== "item" && ref.kind !== "vault") throw new Error(`The cases of items do not load: ${ref.kind}.`);
      const { outcome, writes }: Decision<Outcome> = Reflect.apply(decide, undefined, [load(ref)]);
      const sequences = writes.map(commit);
      return { outcome, sequence: sequences.find((sequence) => sequence !== undefined) };
    },
    async listChanges(query) {
      const { vault, head = 0 } = dataOf(query) ?? {};
      return { vault, head, reached: true, items: [], hasMore: false };
    },
    async listAudit({ tenantId, limit }) {
      const rows = audit.filter(({ subjectTenantId }) => subjectTenantId === tenantId);
      return { rows: rows.toReversed().slice(0, limit), next: undefined };
    },
  };

  const driver = createStorageDriver(storage, clock, access);
  return {
    ...driver,
    host: {
      ...driver.host,
      async createVault(vault) {
        await driver.host.createVault(vault);
        const data = dataOf(vault);
        if (data !== undefined) data.floor = vault.floor;
      },
    },
    contentLoads() {
      const counted = loads;
      loads = 0;
      return counted;
    },
  };
}
