import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { type DeleteItemRequest, type DeleteItemResponse, DeleteItemResponseSchema } from "@platform-rpc/types";
import type { Clock } from "../options/clock.js";
import { ofType, requireOptions } from "../options/option-rules.js";
import { refuse } from "./refuse.js";
import { createMemoryVaults, decideDeleteItem, decidePutItem } from "./server-rules.js";

/** An item to put into a vault. */
export interface FakeItem {
  readonly vaultId: string;
  readonly itemId: string;
  /** Default: 1. */
  readonly version?: number;
}

const text = (value: unknown) => (typeof value === "string" && value !== "") || "must be a string";

const itemRules = { vaultId: text, itemId: text, version: ofType("number") };

const tenantId = "tenant-1";
const principalId = "principal-1";
const actor = { tenantId, principalId, oauthClientId: "client-1", tokenId: "", operation: "DeleteItem", requestId: "" };

const content = {
  kind: "login",
  titleHash: "dGl0bGU",
  encryptedPayload: { alg: "A256GCM", nonce: "bm9uY2U", aad: "YWFk", ciphertext: "c2VjcmV0", version: 1 },
  wrappedKeys: [{ recipientId: "u-1", wrapAlg: "A256KW", wrappedKey: "a2V5" }],
};

/** The codes of the reasons of a deletion. */
const codes = {
  VAULT_NOT_FOUND: Code.NotFound,
  ITEM_NOT_FOUND: Code.NotFound,
  ROLE_FORBIDS_DELETE: Code.PermissionDenied,
} as const;

/** Creates vaults of which the caller is the owner. They follow the rules of the platform. */
export function createFakeVaults(clock: Clock) {
  const vaults = createMemoryVaults();
  const refOf = ({ vaultId, itemId }: FakeItem | DeleteItemRequest) => ({ tenantId, vaultId, itemId, principalId });

  return {
    put(item: FakeItem): void {
      const { vaultId, itemId, version }: Partial<FakeItem> = Object(item);
      requireOptions({ vaultId, itemId, version }, itemRules);
      const ref = refOf(item);
      if (vaults.load(ref).vault === undefined) {
        vaults.commit([
          { kind: "vault", vault: { tenantId, vaultId: item.vaultId, retentionDays: 30, accessRevision: 0 } },
          { kind: "member", ...ref, role: "owner" },
        ]);
      }
      const live = { version: item.version ?? 1, updatedAt: clock.now(), state: "live", shredAt: undefined } as const;
      vaults.commit([
        { kind: "change", item: { tenantId, vaultId: item.vaultId, itemId: item.itemId, ...live }, content },
      ]);
    },
    /** Replaces the item, as a concurrent writer would. */
    touch(request: DeleteItemRequest): void {
      const snapshot = vaults.load(refOf(request));
      const { vaultId, itemId } = request;
      if (snapshot.item === undefined) return;
      const { version } = snapshot.item;
      vaults.commit(
        decidePutItem(snapshot, { tenantId, vaultId, itemId }, content, version, actor, clock.now()).writes,
      );
    },
    deleteItem(request: DeleteItemRequest, requestId: string): DeleteItemResponse {
      const { vaultId, baseVersion } = request;
      const { outcome, writes } = decideDeleteItem(vaults.load(refOf(request)), baseVersion, actor, clock.now());
      const sequence = vaults.commit(writes);
      if (!outcome.ok) {
        if (outcome.reason !== "VERSION_CONFLICT") throw refuse(codes[outcome.reason], outcome.reason, { requestId });
        const { sequence: newest, ...conflict } = outcome.conflict;
        const cursor = { vaultId, sequence: newest };
        throw refuse(Code.Aborted, outcome.reason, { requestId, conflict: { ...conflict, cursor } });
      }
      const { state, updatedAt, kind, titleHash, version, encryptedPayload, wrappedKeys, itemId } = outcome.item;
      const stored = "sequence" in outcome.item ? outcome.item.sequence : 0;
      return create(DeleteItemResponseSchema, {
        item: {
          ...{ itemId, tenantId, vaultId, version, kind, titleHash, encryptedPayload, wrappedKeys: [...wrappedKeys] },
          updatedAt: timestampFromMs(updatedAt),
          deleted: state !== "live",
        },
        cursor: { vaultId, sequence: sequence ?? stored },
      });
    },
  };
}
