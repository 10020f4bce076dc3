import type { Library } from "../vaults/library.js";

/** How current what the page shows is. */
type Connection =
  | { readonly state: "live" | "loading" | "paused" }
  /** The vaults could not be listed: the list says why. */
  | { readonly state: "failed" }
  /** `loadedAt`: when the least current vault was loaded; undefined if one was not. */
  | { readonly state: "offline"; readonly loadedAt: number | undefined };

/** Returns how current a library is: as its least current vault. */
export function connectionOf({ vaults, error, feeds }: Pick<Library, "vaults" | "error" | "feeds">): Connection {
  const all = [...feeds.values()].filter(({ state }) => state !== "lost");
  const offline = all.filter(({ state }) => state === "offline");
  if (offline.length > 0) {
    const times = offline.map(({ loadedAt }) => loadedAt ?? Number.NaN);
    const oldest = Math.min(...times);
    return { state: "offline", loadedAt: Number.isNaN(oldest) ? undefined : oldest };
  }
  if (error != null && vaults === undefined) return { state: "failed" };
  if (all.some(({ state }) => state === "paused")) return { state: "paused" };
  return { state: vaults === undefined || all.some(({ state }) => state === "loading") ? "loading" : "live" };
}
