import { isText, must, ofType, requireOptions } from "@platform-rpc/options";
import type { DeleteItemRequest, DeleteItemResponse } from "@platform-rpc/types";
import type { Clock } from "../options/clock.js";
import { agentsPage, refuse } from "./fake-failures.js";
import {
  caller,
  cursorMessage,
  delegations,
  deleteItem,
  getItem,
  itemMessage,
  putItem,
  type RuleStorage,
  withSequence,
} from "./server-rules.js";

/** An item to put into a vault. */
export interface FakeItem {
  readonly vaultId: string;
  readonly itemId: string;
  /** Default: 1. */
  readonly version?: number;
}

const text = must("be a string", isText);

const itemRules = { vaultId: text, itemId: text, version: ofType("number") };

const { tenantId, principalId } = caller;
const delegationId = "delegation-1";

const content = {
  kind: "login",
  titleHash: "dGl0bGU",
  encryptedPayload: { alg: "A256GCM", nonce: "bm9uY2U", aad: "YWFk", ciphertext: "c2VjcmV0", version: 1 },
  wrappedKeys: [{ recipientId: "u-1", wrapAlg: "A256KW", wrappedKey: "a2V5" }],
};

/** Creates vaults of which the caller is the owner. The rules of the platform decide on their items. */
export function createFakeVaults(storage: RuleStorage, clock: Clock) {
  const refOf = ({ vaultId, itemId }: FakeItem | DeleteItemRequest) =>
    ({ kind: "item", tenantId, vaultId, itemId, principalId }) as const;

  return {
    put(item: FakeItem): void {
      const { vaultId, itemId, version }: Partial<FakeItem> = Object(item);
      requireOptions("putItem", { vaultId, itemId, version }, itemRules);
      const { kind: _, ...ref } = refOf(item);
      const found = storage.apply(refOf(item), getItem("administrator")).outcome;
      if (!found.ok && found.reason === "VAULT_NOT_FOUND") {
        storage.commit([
          { kind: "vault", vault: { tenantId, vaultId: item.vaultId, retentionDays: 30, accessRevision: 0 } },
          { kind: "member", ...ref, role: "owner" },
        ]);
      }
      const live = { version: item.version ?? 1, updatedAt: clock.now(), state: "live", shredAt: undefined } as const;
      storage.commit([
        { kind: "change", item: { tenantId, vaultId: item.vaultId, itemId: item.itemId, ...live }, content },
      ]);
    },
    /** Replaces the item, as a concurrent writer would. */
    touch(request: DeleteItemRequest): void {
      const ref = refOf(request);
      const found = storage.apply(ref, getItem("administrator")).outcome;
      if (!found.ok) return;
      const { vaultId, itemId, version } = found.item;
      storage.apply(
        ref,
        putItem("administrator", { tenantId, vaultId, itemId }, content, version, caller, clock.now()),
      );
    },
    /** Limits how many items may be deleted. Those that were deleted since the first call count. */
    limitDeletions(maxDeletions: number): void {
      const now = clock.now();
      const started = { deletions: 0, lastDeletionAt: undefined, endedAt: undefined, createdAt: now };
      const { oauthClientId } = caller;
      const first = {
        delegationId,
        tenantId,
        principalId,
        oauthClientId,
        ...started,
        expiresAt: Number.MAX_SAFE_INTEGER,
      };
      const { bounds: _, ...stored } = delegations.find(storage, tenantId, delegationId) ?? { ...first, bounds: {} };
      storage.commit([delegations.put(storage, { ...stored, bounds: { maxDeletions } }, now)]);
    },
    deleteItem(request: DeleteItemRequest, requestId: string): DeleteItemResponse {
      const record = delegations.key(tenantId, delegationId);
      const limitedBy = storage.find(record) && delegationId;
      const rule = deleteItem(request.baseVersion, caller, clock.now(), limitedBy);
      const result = withSequence(storage.apply({ ...refOf(request), record }, rule));
      if (result.ok) {
        const { item } = result;
        const cursor = cursorMessage(item.vaultId, item.sequence);
        return { $typeName: "platform.v1.DeleteItemResponse", item: itemMessage(item), cursor };
      }
      if (result.reason === "DELEGATION_ENDED") throw refuse("UNAUTHENTICATED", { requestId });
      if (result.reason === "DELEGATION_EXHAUSTED") {
        const { allowed, used } = result;
        const text = `The budget of deletions is used: ${used} of ${allowed}. Ask the person who approved to give more at ${agentsPage}, then call again.`;
        throw refuse(result.reason, { requestId, budget: { allowed, used }, text });
      }
      if (result.reason !== "VERSION_CONFLICT") throw refuse(result.reason, { requestId });
      const { vaultId, sequence, ...conflict } = result.conflict;
      throw refuse(result.reason, { requestId, conflict: { ...conflict, cursor: { vaultId, sequence } } });
    },
  };
}
