import type { ItemRequest, ItemResult } from "../item-model.ts";

/**
 * An item that takes calls one after the other: the rules of the contract, written without the model that is tested.
 *
 * @param commit assigns the sequence of a change. Default: other items of the vault change in between.
 */
export function createSerialItem(commit?: (version: number, deleted: boolean) => number) {
  let item: { version: number; deleted: boolean; content: string; sequence: number } | undefined;
  let sequence = 0;
  const shown = (): ItemResult =>
    item === undefined ? { ok: false, reason: "ITEM_NOT_FOUND" } : { ok: true, ...item };
  const conflict = (): ItemResult =>
    item === undefined
      ? { ok: false, reason: "ITEM_NOT_FOUND" }
      : {
          ok: false,
          reason: "VERSION_CONFLICT",
          version: item.version,
          deleted: item.deleted,
          sequence: item.sequence,
        };
  const write = (deleted: boolean, content: string): ItemResult => {
    const version = (item?.version ?? 0) + 1;
    sequence = commit?.(version, deleted) ?? sequence + 3;
    item = { version, deleted, content, sequence };
    return shown();
  };

  return (request: ItemRequest): ItemResult => {
    if (request.kind === "get") return shown();
    const { baseVersion } = request;
    if (item === undefined)
      return request.kind === "put" && baseVersion === 0 ? write(false, request.content) : conflict();
    const { version, deleted, content } = item;
    if (request.kind === "delete") {
      if (deleted && (baseVersion === version || baseVersion + 1 === version)) return shown();
      return !deleted && baseVersion === version ? write(true, content) : conflict();
    }
    if (request.kind === "restore") return deleted && baseVersion === version ? write(false, content) : conflict();
    if (!deleted && baseVersion + 1 === version && content === request.content) return shown();
    return !deleted && baseVersion === version ? write(false, request.content) : conflict();
  };
}
