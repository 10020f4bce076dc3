import type { Model } from "./model.ts";

/** A call on one item. */
export type ItemRequest =
  | { readonly kind: "delete"; readonly baseVersion: number }
  | { readonly kind: "restore"; readonly baseVersion: number }
  /** Base version 0 creates the item. `content` is different for each put. */
  | { readonly kind: "put"; readonly baseVersion: number; readonly content: string }
  | { readonly kind: "get" };

/** What a response contains of an item. */
export interface ItemView {
  readonly version: number;
  readonly deleted: boolean;
  /** The position of the item's newest change in the history of the vault. */
  readonly sequence: number;
}

export type ItemResult =
  | ({ readonly ok: true; readonly content: string } & ItemView)
  | ({ readonly ok: false; readonly reason: "VERSION_CONFLICT" } & ItemView)
  | { readonly ok: false; readonly reason: string };

/** The state of an item. */
export interface ItemState {
  /** 0: it does not exist. */
  readonly version: number;
  readonly deleted: boolean;
  readonly content: string;
  /** Undefined: a call without a response has made the newest change, so its sequence is not known yet. */
  readonly sequence: number | undefined;
}

/**
 * The item of docs/decisions.md, section 3, for clients whose role may delete.
 *
 * @param shredsAtOnce whether the vault keeps no tombstones: a deletion erases the content.
 */
export function createItemModel(shredsAtOnce: boolean): Model<ItemState, ItemRequest, ItemResult> {
  return {
    initial: { version: 0, deleted: false, content: "", sequence: undefined },
    step(state, request, result) {
      const changed = change(state, request, shredsAtOnce);
      if (changed !== undefined) {
        if (result === undefined) return changed;
        return result.ok ? seen(changed, result) : undefined;
      }
      if (result === undefined) return undefined;
      if (returnsItem(state, request)) return result.ok ? seen(state, result) : undefined;
      if (result.ok || result.reason !== rejection(state, request)) return undefined;
      return "version" in result ? seen(state, { ...result, content: state.content }) : state;
    },
    // A response shows one version of the item, or is a rejection.
    spent: ({ version }, request, result) =>
      result !== undefined || request.kind === "get" || request.baseVersion < version,
    missed: ({ version }, result) => version > ("version" in result ? result.version : 0) && !isShredded(result),
    keyOf: ({ version, deleted, content, sequence = "?" }) => `${version} ${deleted} ${sequence} ${content}`,
  };
}

function isShredded(result: ItemResult): boolean {
  return !result.ok && result.reason === "ITEM_SHREDDED";
}

/** Returns the state after a request that takes effect; undefined if it has no effect. */
function change(state: ItemState, request: ItemRequest, shredsAtOnce: boolean): ItemState | undefined {
  if (request.kind === "get" || request.baseVersion !== state.version) return undefined;
  const next = { version: state.version + 1, sequence: undefined };
  if (request.kind === "put") return state.deleted ? undefined : { ...next, deleted: false, content: request.content };
  if (state.version === 0) return undefined;
  if (request.kind === "delete") {
    return state.deleted ? undefined : { ...next, deleted: true, content: shredsAtOnce ? "" : state.content };
  }
  return state.deleted && !shredsAtOnce ? { ...next, deleted: false, content: state.content } : undefined;
}

/** Returns whether a request that has no effect returns the item, as a read or a retry. */
function returnsItem({ version, deleted, content }: ItemState, request: ItemRequest): boolean {
  if (version === 0) return false;
  switch (request.kind) {
    case "get":
      return true;
    case "delete":
      return deleted && (request.baseVersion === version || request.baseVersion === version - 1);
    case "put":
      return !deleted && request.baseVersion === version - 1 && request.content === content;
    case "restore":
      return false;
  }
}

/** Returns why a request that neither has an effect nor returns the item is rejected. */
function rejection({ version, deleted }: ItemState, request: ItemRequest) {
  if (version === 0) return "ITEM_NOT_FOUND";
  const shredded = request.kind === "restore" && deleted && request.baseVersion === version;
  return shredded ? "ITEM_SHREDDED" : "VERSION_CONFLICT";
}

/** Returns the state if a response shows it; undefined if the response shows another one. */
function seen(state: ItemState, view: ItemView & { readonly content: string }): ItemState | undefined {
  const { version, deleted, content, sequence } = state;
  if (view.version !== version || view.deleted !== deleted || view.content !== content) return undefined;
  if (sequence === undefined) return { ...state, sequence: view.sequence };
  return sequence === view.sequence ? state : undefined;
}
