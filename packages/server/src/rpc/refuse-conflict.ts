import { VersionConflictSchema } from "@platform-rpc/types";
import type { VersionConflict } from "../domain/item.js";
import { type Refusal, refuse } from "./refusal.js";

/** VERSION_CONFLICT, with the detail that says where the item stands. */
export function refuseConflict({ vaultId, sequence, ...conflict }: VersionConflict): Refusal {
  return refuse("VERSION_CONFLICT", {
    detail: { desc: VersionConflictSchema, value: { ...conflict, cursor: { vaultId, sequence } } },
  });
}
