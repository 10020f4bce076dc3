import type { Model } from "./model.js";

/** A call on one item. `at` is its time in milliseconds; default: 0, so that no retention ends. */
export type ItemRequest =
  | { readonly kind: "delete" | "restore"; readonly baseVersion: number; readonly at?: number }
  /** Base version 0 creates the item. */
  | { readonly kind: "put"; readonly baseVersion: number; readonly content: string; readonly at?: number }
  | { readonly kind: "get" };

/** The job that shreds. It has an effect on a tombstone whose retention has ended. */
export interface ShredRequest {
  readonly kind: "shred";
  readonly at?: number;
}

/** What a response contains of an item. */
export interface ItemView {
  readonly version: number;
  readonly deleted: boolean;
  /** The position of the item's newest change in the history of the vault. */
  readonly sequence: number;
}

/** What a call on an item returned. */
export type ItemResult =
  | ({ readonly ok: true; readonly content: string } & ItemView)
  | ({ readonly ok: false; readonly reason: "VERSION_CONFLICT" } & ItemView)
  | { readonly ok: false; readonly reason: string };

/** The state of an item. */
export interface ItemState {
  /** 0: it does not exist. */
  readonly version: number;
  readonly deleted: boolean;
  /** Empty after shredding. */
  readonly content: string;
  /** When the retention of the tombstone ends. `shredded`: the content is erased. */
  readonly retained: number | "shredded";
  /** Undefined: a call without a response has made the newest change, so its sequence is not known yet. */
  readonly sequence: number | undefined;
}

const dayMs = 24 * 60 * 60 * 1000;

/**
 * The item of docs/decisions.md, section 3, for callers whose role may delete. The budget of a caller is not part of the state: a deletion
 * that is rejected as DELEGATION_EXHAUSTED shows only that it would have had an effect otherwise.
 *
 * @param retentionDays 0: a deletion erases the content at once.
 */
export function createItemModel(retentionDays: number): Model<ItemState, ItemRequest | ShredRequest, ItemResult> {
  return {
    initial: { version: 0, deleted: false, content: "", retained: 0, sequence: undefined },
    step(state, request, result) {
      const changed = change(state, request, retentionDays);
      if (changed !== undefined) {
        if (result === undefined) return changed;
        if (isExhausted(result)) return request.kind === "delete" ? state : undefined;
        return result.ok ? seen(changed, result) : undefined;
      }
      if (result === undefined) return undefined;
      if (returnsItem(state, request)) return result.ok ? seen(state, result) : undefined;
      if (result.ok || result.reason !== rejection(state, request)) return undefined;
      return "version" in result ? seen(state, { ...result, content: state.content }) : state;
    },
    // A response shows one version of the item, or is a rejection.
    spent: ({ version }, request, result) =>
      result !== undefined || !("baseVersion" in request) || request.baseVersion < version,
    missed: ({ version }, result) =>
      version > ("version" in result ? result.version : 0) && !isShredded(result) && !isExhausted(result),
    keyOf: ({ version, deleted, content, retained, sequence = "?" }) =>
      `${version} ${deleted} ${retained} ${sequence} ${content}`,
  };
}

function isShredded(result: ItemResult): boolean {
  return !result.ok && result.reason === "ITEM_SHREDDED";
}

function isExhausted(result: ItemResult): boolean {
  return !result.ok && result.reason === "DELEGATION_EXHAUSTED";
}

/** Returns the state after a request that takes effect; undefined if it has no effect. */
function change(state: ItemState, request: ItemRequest | ShredRequest, retentionDays: number): ItemState | undefined {
  if (request.kind === "get") return undefined;
  const { at = 0 } = request;
  if (request.kind === "shred") {
    return state.deleted && isOver(state, at) && state.retained !== "shredded"
      ? { ...state, content: "", retained: "shredded" }
      : undefined;
  }
  if (request.baseVersion !== state.version) return undefined;
  const next = { ...state, version: state.version + 1, sequence: undefined };
  switch (request.kind) {
    case "put":
      return state.deleted ? undefined : { ...next, content: request.content };
    case "delete":
      if (state.deleted || state.version === 0) return undefined;
      if (retentionDays === 0) return { ...next, deleted: true, content: "", retained: "shredded" };
      return { ...next, deleted: true, retained: at + retentionDays * dayMs };
    case "restore":
      return state.deleted && !isOver(state, at) ? { ...next, deleted: false, retained: 0 } : undefined;
  }
}

/** Returns whether the retention of a tombstone has ended. */
function isOver({ retained }: ItemState, at: number): boolean {
  return retained === "shredded" || at >= retained;
}

/** Returns whether a request that has no effect returns the item, as a read or a retry. */
function returnsItem({ version, deleted, content }: ItemState, request: ItemRequest | ShredRequest): boolean {
  if (version === 0) return false;
  switch (request.kind) {
    case "get":
      return true;
    case "delete":
      return deleted && (request.baseVersion === version || request.baseVersion === version - 1);
    case "put":
      return !deleted && request.baseVersion === version - 1 && request.content === content;
    case "restore":
    case "shred":
      return false;
  }
}

/** Returns why a request that neither has an effect nor returns the item is rejected. */
function rejection({ version, deleted }: ItemState, request: ItemRequest | ShredRequest) {
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
