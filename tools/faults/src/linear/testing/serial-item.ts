import { createItemModel, type ItemRequest, type ItemResult } from "@platform-rpc/server/testing";

const model = createItemModel(30);

/**
 * An item that takes calls one after the other, and returns what the model accepts.
 *
 * @param commit assigns the sequence of a change. Default: other items of the vault change in between.
 */
export function createSerialItem(commit?: (version: number, deleted: boolean) => number) {
  let state = model.initial;
  let sequence = 0;
  return (request: ItemRequest): ItemResult => {
    const changed = model.step(state, request, undefined);
    if (changed !== undefined) {
      sequence = commit?.(changed.version, changed.deleted) ?? sequence + 3;
      state = { ...changed, sequence };
    }
    const { version, deleted, content } = state;
    const shown = { ok: true, version, deleted, content, sequence } as const;
    if (changed !== undefined) return shown;
    const conflict = { ok: false, reason: "VERSION_CONFLICT", version, deleted, sequence } as const;
    const possible: readonly ItemResult[] = [shown, conflict, { ok: false, reason: "ITEM_NOT_FOUND" }];
    const result = possible.find((each) => model.step(state, request, each) !== undefined);
    if (result === undefined) throw new Error(`The model has no result for ${JSON.stringify(request)}.`);
    return result;
  };
}
