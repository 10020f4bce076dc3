import type { RecordedCall } from "../history/read-journals.ts";
import type { AuthorizationRequest, AuthorizationResult } from "../linear/authorization-model.ts";
import type { ItemRequest, ItemResult } from "../linear/item-model.ts";
import type { Call } from "../linear/model.ts";

export type ItemCall = Call<ItemRequest, ItemResult>;
export type AuthorizationCall = Call<AuthorizationRequest, AuthorizationResult>;

/** The calls on each object. */
export interface Objects {
  /** By "vault/item". */
  readonly items: ReadonlyMap<string, readonly ItemCall[]>;
  /** By the hash of the device code. */
  readonly codes: ReadonlyMap<string, readonly AuthorizationCall[]>;
}

/** Divides recorded calls by the object that they concern. A list of changes is a read of each item in it. */
export function divide(calls: readonly RecordedCall[]): Objects {
  const items = new Map<string, ItemCall[]>();
  const codes = new Map<string, AuthorizationCall[]>();
  for (const { request, result, refused, begunAt, endedAt } of calls) {
    if (refused !== undefined) continue;
    const times = { begunAt, endedAt };
    if (request.on === "item") {
      if (result === undefined || !("status" in result || "head" in result)) {
        add(items, `${request.vaultId}/${request.itemId}`, { request, result, ...times });
      }
    } else if (request.on === "code") {
      if (result === undefined || !("content" in result || "head" in result)) {
        add(codes, request.codeHash, { request, result, ...times });
      }
    } else if (request.on === "vault" && result !== undefined && "head" in result) {
      for (const { itemId, ...view } of result.items) {
        const read = { request: { kind: "get" }, result: { ok: true, ...view }, ...times } as const;
        add(items, `${request.vaultId}/${itemId}`, read);
      }
    }
  }
  return { items, codes };
}

function add<T>(lists: Map<string, T[]>, key: string, member: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [member]);
  else list.push(member);
}
