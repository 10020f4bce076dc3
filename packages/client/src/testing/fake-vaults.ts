import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import {
  type DeleteItemRequest,
  type DeleteItemResponse,
  DeleteItemResponseSchema,
  type ItemSchema,
} from "@platform-rpc/types";
import type { Clock } from "../options/clock.js";
import { ofType, requireOptions } from "../options/option-rules.js";
import { refuse } from "./refuse.js";

/** An item to put into a vault. */
export interface FakeItem {
  readonly vaultId: string;
  readonly itemId: string;
  /** Default: 1. */
  readonly version?: number;
}

const text = (value: unknown) => (typeof value === "string" && value !== "") || "must be a string";

const itemRules = { vaultId: text, itemId: text, version: ofType("number") };

/** Creates vaults whose deletions follow SPEC section 4.1. */
export function createFakeVaults(clock: Clock) {
  const sequences = new Map<string, number>();
  const items = new Map<string, { version: number; sequence: number; deletion: DeleteItemResponse | undefined }>();
  const keyOf = ({ vaultId, itemId }: FakeItem | DeleteItemRequest) => JSON.stringify([vaultId, itemId]);
  const nextSequence = (vaultId: string) => {
    const sequence = (sequences.get(vaultId) ?? 0) + 1;
    sequences.set(vaultId, sequence);
    return sequence;
  };

  return {
    put(item: FakeItem): void {
      const { vaultId, itemId, version }: Partial<FakeItem> = Object(item);
      requireOptions({ vaultId, itemId, version }, itemRules);
      const sequence = nextSequence(item.vaultId);
      items.set(keyOf(item), { version: item.version ?? 1, sequence, deletion: undefined });
    },
    /** Changes the item, as a concurrent writer would. */
    touch(request: DeleteItemRequest): void {
      const item = items.get(keyOf(request));
      if (item === undefined || item.deletion !== undefined) return;
      item.version += 1;
      item.sequence = nextSequence(request.vaultId);
    },
    deleteItem(request: DeleteItemRequest, requestId: string): DeleteItemResponse {
      const { vaultId, itemId, baseVersion } = request;
      if (!sequences.has(vaultId)) throw refuse(Code.NotFound, "VAULT_NOT_FOUND", { requestId });
      const item = items.get(keyOf(request));
      if (item === undefined) throw refuse(Code.NotFound, "ITEM_NOT_FOUND", { requestId });
      const { deletion, version } = item;
      if (deletion !== undefined && (baseVersion === version || baseVersion === version - 1)) return deletion;
      if (deletion !== undefined || baseVersion !== version) {
        const cursor = { vaultId, sequence: item.sequence };
        const where = { itemId, baseVersion, currentVersion: version, deleted: deletion !== undefined, cursor };
        throw refuse(Code.Aborted, "VERSION_CONFLICT", { requestId, conflict: where });
      }
      item.version += 1;
      item.sequence = nextSequence(vaultId);
      const tombstone: MessageInitShape<typeof ItemSchema> = {
        itemId,
        vaultId,
        tenantId: "tenant-1",
        version: item.version,
        kind: "login",
        titleHash: "dGl0bGU",
        updatedAt: timestampFromMs(clock.now()),
        encryptedPayload: { alg: "A256GCM", nonce: "bm9uY2U", ciphertext: "c2VjcmV0", version: 1 },
        deleted: true,
      };
      item.deletion = create(DeleteItemResponseSchema, {
        item: tombstone,
        cursor: { vaultId, sequence: item.sequence },
      });
      return item.deletion;
    },
  };
}
