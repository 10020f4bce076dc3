import { deleteItemRequest } from "../load/request.ts";
import type { Target } from "../load/target.ts";
import { itemName } from "../seed.ts";
import { fixtureItem } from "./fixture.ts";

/** Returns a request for each of a thousand items. */
export function requestsFor({ token }: Target): Buffer[] {
  // Servers that check no token get one of the same length.
  const sent = token === "" ? "t".repeat(800) : token;
  return Array.from({ length: 1000 }, (_, item) => deleteItemRequest(fixtureItem.vaultId, itemName(item), sent));
}
