import { PlatformError, type PlatformErrorReason } from "@platform-rpc/client";
import { expect, it } from "vitest";
import { whenAccepted } from "./when-accepted.js";

it.each<[title: string, rejections: readonly PlatformErrorReason[], listed: readonly string[] | "rejected"]>([
  ["waits as long as the server says if there are too many calls", ["RATE_LIMITED", "RATE_LIMITED"], ["a"]],
  ["has nothing of an item that does not exist any more", ["RATE_LIMITED", "ITEM_NOT_FOUND"], []],
  ["fails with any other error", ["RATE_LIMITED", "NETWORK_ERROR"], "rejected"],
])("a list %s", async (_, rejections, listed) => {
  const left = [...rejections];
  const waits: number[] = [];
  const list = async () => {
    const reason = left.shift();
    if (reason === undefined) return ["a"];
    const call = { message: "", code: "unknown", requestId: "", retryable: false, detail: undefined } as const;
    throw new Error("Rejected.", { cause: new PlatformError({ ...call, reason, retryAfterMs: 7 }) });
  };
  const listing = whenAccepted(list, async (ms) => void waits.push(ms));
  expect(await listing.catch(() => "rejected")).toEqual(listed);
  expect(waits).toEqual(rejections.filter((reason) => reason === "RATE_LIMITED").map(() => 7));
});
