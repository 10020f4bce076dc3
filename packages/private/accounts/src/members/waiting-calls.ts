import { createHash } from "node:crypto";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { type Call, checkedMethod, type Platform } from "@platform-rpc/server";
import { cursorMessage, type Item, type RequestValidator } from "@platform-rpc/server/host";
import type { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { rpcErrorOf } from "../contract/private-contract.js";
import type { ChangeWatch, VaultPosition } from "./change-watch.js";
import { bytesOfProofs, type readProofs } from "./deletion-proofs.js";
import { type ChangePage, changePage } from "./item-fields.js";
import { memberOperations } from "./member-operations.js";

export interface WaitingCallsDeps {
  readonly operations: Platform["operations"];
  readonly admit: Platform["admit"];
  readonly authenticator: Platform["authenticator"];
  readonly watch: ChangeWatch;
  readonly readProofs: (items: readonly Item[]) => ReturnType<typeof readProofs>;
  readonly validate: RequestValidator;
}

/** The number of vaults in a page, unless the request asks for fewer. */
export const largestPage = 100;

/** The time between the end of a wait and the deadline of the call, in milliseconds: enough to read the changes and respond. */
const marginMs = 1000;

const listChangesName = "platform.accounts.v1.MemberVaultService/ListChanges";
const watchVaultsName = "platform.accounts.v1.MemberVaultService/WatchVaults";
const listChangesError = rpcErrorOf(listChangesName);
const watchVaultsError = rpcErrorOf(watchVaultsName);

export function createWaitingCalls(
  deps: WaitingCallsDeps,
): Pick<ServiceImpl<typeof MemberVaultService>, "listChanges" | "watchVaults"> {
  const { operations, admit, authenticator, watch, readProofs, validate } = deps;
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
  };
}

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
