import type { ItemState } from "./shredding.js";

const day = new Intl.DateTimeFormat("en", { dateStyle: "medium" });

/** Returns the state of an item in words. */
export function stateInWords(state: ItemState): string {
  if (state.state === "live") return "";
  if (state.state === "shredded") return "Destroyed";
  if (state.shredAt === undefined) return "Deleted";
  return `Deleted; destroyed on ${day.format(state.shredAt)}`;
}
