import type { BatchesOptions, PendingCall } from "../engine/batches.js";
import { createWorkingSet, itemSnapshotOf } from "../engine/working-set.js";
import type { ContentCipher } from "./content-cipher.js";
import { blamesOne } from "./database/postgres-error.js";
import { createKeyCollector, type KeyCollector } from "./load-keys.js";
import { addLoadedRows, type LoadedRows } from "./loaded-rows.js";
import { createReadBatches } from "./read-batches.js";

/** How many members are remembered, so that each of them is looked up once. */
const membersLimit = 10_000;

const noLog = { read() {}, wrote() {} };

export interface AnswerStrangersOptions {
  readonly load: (keys: KeyCollector) => Promise<LoadedRows>;
  readonly cipher: ContentCipher;
  readonly batchLimit: number;
}

/**
 * Creates the function that refuses principals who are not members of a vault while its lane is busy. Their refusal must not take
 * longer because others change the vault: that would reveal that it exists.
 *
 * It looks each principal up without waiting. A member's call waits for its turn as before, and so does a call whose look-up fails.
 */
export function createAnswerStrangers(options: AnswerStrangersOptions): NonNullable<BatchesOptions["answerNow"]> {
  const { load, cipher, batchLimit } = options;
  const asked = new WeakSet<PendingCall>();
  const members = new Set<string>();

  const readSnapshots = createReadBatches(
    async (refs: readonly ItemRefOfPrincipal[]) => {
      const keys = createKeyCollector();
      for (const { tenantId, vaultId, principalId } of refs) {
        keys.addMissing({ table: "members", key: [tenantId, vaultId, principalId] });
      }
      const set = createWorkingSet(noLog);
      addLoadedRows(set, await load(keys), cipher);
      return refs.map(({ tenantId, vaultId, principalId }) => {
        const vault = set.vaults.get(tenantId, vaultId);
        return itemSnapshotOf({ vault, role: set.members.get(tenantId, vaultId, principalId), item: undefined });
      });
    },
    batchLimit,
    blamesOne,
  );

  const answer = async (call: PendingCall, ref: ItemRefOfPrincipal, member: string, withdraw: () => boolean) => {
    const snapshot = await readSnapshots(ref);
    if (snapshot.role !== undefined) {
      if (members.size === membersLimit) members.clear();
      members.add(member);
      return;
    }
    const { outcome, writes } = call.decide(snapshot);
    if (writes.length === 0 && withdraw()) call.succeed(outcome, undefined);
  };

  return (call, withdraw) => {
    const { ref } = call;
    if (ref.kind !== "item" || asked.has(call)) return false;
    for (const { tenantId, vaultId, principalId } of ref.to === undefined ? [ref] : [ref, ref.to]) {
      if (principalId === undefined) continue;
      const member = JSON.stringify([tenantId, vaultId, principalId]);
      if (members.has(member)) continue;
      asked.add(call);
      answer(call, { tenantId, vaultId, principalId }, member, withdraw).catch(() => {
        // It waits for its turn, which tells the caller what is wrong.
      });
    }
    return false;
  };
}

/** What is looked up of a call. */
interface ItemRefOfPrincipal {
  readonly tenantId: string;
  readonly vaultId: string;
  readonly principalId: string;
}
