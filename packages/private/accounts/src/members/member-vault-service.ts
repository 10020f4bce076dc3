import { createHash } from "node:crypto";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { type Call, checkedMethod, type Platform } from "@platform-rpc/server";
import {
  cursorMessage,
  delegationExhausted,
  handle,
  type Item,
  type MemberVault,
  type RequestValidator,
  type VaultPlace,
} from "@platform-rpc/server/host";
import type {
  CreateVaultKeyRequest,
  CreateVaultRequest,
  DeleteVaultRequest,
  GetItemRequest,
  MemberVaultService,
  PutVaultHeadRequest,
  RenameVaultRequest,
} from "@platform-rpc/types-internal/accounts";
import { rpcErrorOf } from "../contract/private-contract.js";
import { consoleClientId } from "../oauth-clients/first-party-clients.js";
import { wrappedFor } from "../vaults/change-vault.js";
import type { OwnVaults } from "../vaults/own-vaults.js";
import type { StoredVaultKey } from "../vaults/vault-key.js";
import type { ChangeWatch, VaultPosition } from "./change-watch.js";
import { bytesOfProofs, type readProofs } from "./deletion-proofs.js";
import { type ChangePage, changePage, itemWithCursor, putItemHandler, restoreItemHandler } from "./item-fields.js";
import { deleteItemsHandler, putItemsHandler } from "./many-items.js";
import { memberOperations } from "./member-operations.js";
import type { VaultHeads } from "./vault-heads.js";

export interface MemberVaultServiceDeps {
  readonly operations: Platform["operations"];
  readonly admit: Platform["admit"];
  readonly authenticator: Platform["authenticator"];
  readonly countMore: Platform["countMore"];
  readonly watch: ChangeWatch;
  readonly ownVaults: OwnVaults;
  readonly heads: VaultHeads;
  readonly readProofs: (items: readonly Item[]) => ReturnType<typeof readProofs>;
  readonly validate: RequestValidator;
}

/** The number of vaults in a page, unless the request asks for fewer. */
const largestPage = 100;

/** The time between the end of a wait and the deadline of the call, in milliseconds: enough to read the changes and respond. */
const marginMs = 1000;

const listChangesName = "platform.accounts.v1.MemberVaultService/ListChanges";
const watchVaultsName = "platform.accounts.v1.MemberVaultService/WatchVaults";
const listChangesError = rpcErrorOf(listChangesName);
const watchVaultsError = rpcErrorOf(watchVaultsName);
const putItemError = rpcErrorOf("platform.accounts.v1.MemberVaultService/PutItem");
const createVaultKeyError = rpcErrorOf("platform.accounts.v1.MemberVaultService/CreateVaultKey");
const restoreItemError = rpcErrorOf("platform.accounts.v1.MemberVaultService/RestoreItem");

/** Implements MemberVaultService: converts between messages and operations. */
export function createMemberVaultService(deps: MemberVaultServiceDeps): ServiceImpl<typeof MemberVaultService> {
  const { operations, admit, authenticator, countMore, watch, ownVaults, heads, readProofs, validate } = deps;
  const items = { operations, validate, placeOf };
  const manyItems = { operations, validate, countMore };
  const listChangesOperation = operationOf(listChangesName);
  const watchVaultsOperation = operationOf(watchVaultsName);

  /** Waits for a change. Returns the call as it goes on then; undefined if its caller is gone. */
  const wait = async ({ call, context, waitSeconds, positions, operation, error, isSame }: Waiting) => {
    const { signal } = context;
    const ms = Math.min(waitSeconds * 1000, (context.timeoutMs() ?? 0) - marginMs);
    const authorization = context.requestHeader.get("Authorization") ?? undefined;
    // The gate has accepted the header.
    const token = authorization?.split(" ").at(-1) ?? "";
    const goesOn = async () => (await authenticator.authenticate(token)) !== undefined && isSame();
    const waited = await watch.wait(call.actor, { positions, ms, signal, goesOn });
    if (!waited) throw error("RATE_LIMITED", { retryAfterMs: 1000 });
    if (signal.aborted) return undefined;
    // The token may have been revoked during the wait, or the person may have changed its bounds.
    const { delegation } = await admit(authorization, operation);
    return { ...call, delegation };
  };

  const positionsOf = async (call: Call): Promise<readonly VaultPosition[]> => {
    const positions: VaultPosition[] = [];
    for (let afterVaultId = ""; ; ) {
      const { vaults, hasMore } = await operations.listVaults({ afterVaultId, limit: largestPage }, call);
      positions.push(...vaults.map(({ vaultId, head: sequence }) => ({ vaultId, sequence })));
      afterVaultId = vaults.at(-1)?.vaultId ?? "";
      if (!hasMore) return positions;
    }
  };

  const provenPage = async (vaultId: string, page: ChangePage) => {
    const proofs = await readProofs(page.items);
    const { changes, ...position } = changePage(vaultId, page);
    return { ...position, changes: changes.map((change, index) => ({ ...change, deletionProofs: proofs[index] })) };
  };

  return {
    listVaults: checkedMethod(validate, async ({ pageSize, pageToken: afterVaultId }, call) => {
      const limit = pageSize === 0 ? largestPage : pageSize;
      const { vaults, hasMore } = await operations.listVaults({ afterVaultId, limit }, call);
      const vaultIds = vaults.map(({ vaultId }) => vaultId);
      const keys = await Promise.all(vaultIds.map((vaultId) => ownVaults.readKey(vaultId, call)));
      const stored = await heads.read(vaultIds, call);
      return {
        vaults: vaults.map((vault, index) => ({
          ...vaultMessage(vault, keys[index], call.actor.principalId),
          head: stored[index],
        })),
        nextPageToken: hasMore ? (vaults.at(-1)?.vaultId ?? "") : "",
      };
    }),

    listChanges: checkedMethod(validate, async (request, call, context) => {
      const { vaultId, afterSequence, limit, waitSeconds } = request;
      const list = async (caller: Call) => {
        const query = { access: "member", vaultId, afterSequence, limit, bytesWithDeletion: bytesOfProofs } as const;
        const result = await operations.listChanges(query, caller);
        if (!result.ok) throw listChangesError(result.reason);
        return result;
      };
      const listed = await list(call);
      if (listed.items.length > 0 || waitSeconds === 0) return provenPage(vaultId, listed);
      const admitted = await wait({
        ...{ call, context, waitSeconds, operation: listChangesOperation, error: listChangesError },
        positions: [{ vaultId, sequence: afterSequence }],
        isSame: async () => true,
      });
      return provenPage(vaultId, admitted === undefined ? listed : await list(admitted));
    }),

    watchVaults: checkedMethod(validate, async ({ state, waitSeconds }, call, context) => {
      const positions = await positionsOf(call);
      if (waitSeconds === 0 || stateOf(positions) !== state) return watchedMessage(positions);
      const admitted = await wait({
        ...{ call, context, waitSeconds, positions, operation: watchVaultsOperation, error: watchVaultsError },
        isSame: async () => stateOf(await positionsOf(call)) === state,
      });
      return watchedMessage(admitted === undefined ? positions : await positionsOf(admitted));
    }),

    getItem: handle({
      validate,
      error: rpcErrorOf("platform.accounts.v1.MemberVaultService/GetItem"),
      async run(request: GetItemRequest, call) {
        const found = await operations.getItem({ ...placeOf(request), itemId: request.itemId }, call);
        return found.ok ? { ...found, proofs: await readProofs([found.item]) } : found;
      },
      answer: ({ item, proofs: [deletionProofs] }) => ({ ...itemWithCursor(item), deletionProofs }),
    }),
    putItem: putItemHandler(items, putItemError, () => putItemError("ROLE_FORBIDS_CHANGE")),
    putItems: putItemsHandler(manyItems, rpcErrorOf("platform.accounts.v1.MemberVaultService/PutItems")),
    deleteItems: deleteItemsHandler(manyItems, rpcErrorOf("platform.accounts.v1.MemberVaultService/DeleteItems")),
    restoreItem: restoreItemHandler(items, restoreItemError, () => restoreItemError("ROLE_FORBIDS_CHANGE")),

    createVault: handle({
      validate,
      error: rpcErrorOf("platform.accounts.v1.MemberVaultService/CreateVault"),
      async run({ vaultId, key, encryptedName }: CreateVaultRequest, call) {
        const created = await ownVaults.create({ vaultId, key: required(key), encryptedName }, call);
        if (!created.ok) return created;
        return { ok: true, vault: vaultMessage(created.vault, created.key, call.actor.principalId) } as const;
      },
      answer: ({ vault }) => ({ vault }),
    }),

    createVaultKey: handle({
      validate,
      error: createVaultKeyError,
      async run({ key }: CreateVaultKeyRequest, call) {
        // A key that other software has chosen opens everything that the person seals with it later.
        if (call.actor.oauthClientId !== consoleClientId) throw createVaultKeyError("TOKEN_NOT_ALLOWLISTED");
        const created = await ownVaults.createKey({ key: required(key) }, call);
        return created.ok ? ({ ok: true, key: keyMessage(created.key, call.actor.principalId) } as const) : created;
      },
      answer: ({ key }) => ({ key }),
    }),

    renameVault: handle({
      validate,
      error: rpcErrorOf("platform.accounts.v1.MemberVaultService/RenameVault"),
      run: (request: RenameVaultRequest, call) => ownVaults.rename(request, call),
      answer: ({ revision }) => ({ revision }),
    }),

    deleteVault: handle({
      validate,
      error: rpcErrorOf("platform.accounts.v1.MemberVaultService/DeleteVault"),
      run: (request: DeleteVaultRequest, call) => ownVaults.remove(request, call),
      answer: ({ deletedItems }) => ({ deletedItems }),
      errors: { DELEGATION_EXHAUSTED: (rejection) => delegationExhausted(rejection) },
    }),

    putVaultHead: handle({
      validate,
      error: rpcErrorOf("platform.accounts.v1.MemberVaultService/PutVaultHead"),
      run: ({ vaultId, head }: PutVaultHeadRequest, call) => heads.put(vaultId, required(head), call),
      answer: () => ({}),
    }),
  };
}

/** A call that waits. */
interface Waiting {
  readonly call: Call;
  readonly context: HandlerContext;
  readonly waitSeconds: number;
  readonly positions: readonly VaultPosition[];
  readonly operation: ReturnType<typeof operationOf>;
  readonly error: typeof listChangesError | typeof watchVaultsError;
  /** Whether there is still nothing to return that is not in the positions. */
  readonly isSame: () => Promise<boolean>;
}

function operationOf(name: string) {
  const operation = memberOperations.get(name);
  if (operation === undefined) throw new TypeError(`${name} is not an operation`);
  return operation;
}

/** Returns what stands for positions: short, and another one for every other position and vault. */
function stateOf(positions: readonly VaultPosition[]): string {
  const all = positions.map(({ vaultId, sequence }) => [vaultId, sequence]);
  return createHash("sha256").update(JSON.stringify(all)).digest("base64url");
}

function watchedMessage(positions: readonly VaultPosition[]) {
  return {
    cursors: positions.map(({ vaultId, sequence }) => cursorMessage(vaultId, sequence)),
    state: stateOf(positions),
  };
}

/** Returns a vault as one of its members sees it. */
function vaultMessage(
  { vaultId, role, retentionDays, head }: MemberVault,
  key: StoredVaultKey | undefined,
  principalId: string,
) {
  const listed = { vaultId, role, retentionDays, cursor: cursorMessage(vaultId, head) };
  if (key === undefined) return listed;
  const { encryptedName, nameRevision: revision, deletedAt } = key;
  return { ...listed, key: keyMessage(key, principalId), encryptedName, revision, deleted: deletedAt !== undefined };
}

function keyMessage(key: StoredVaultKey, principalId: string) {
  return { keyId: key.keyId, epoch: key.epoch, wrappedKey: wrappedFor(key, principalId) };
}

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new TypeError("the contract requires the field");
  return value;
}

function placeOf({ vaultId }: { readonly vaultId: string }): VaultPlace {
  return { access: "member", vaultId };
}
