import { toJson } from "@bufbuild/protobuf";
import * as connectEntry from "@platform-rpc/client";
import { isPlatformError } from "@platform-rpc/client";
import * as jsonEntry from "@platform-rpc/client/json";
import {
  createStorageHost,
  deleteItemCases,
  describeItemCases,
  type ItemAnswer,
  type ItemCall,
  type ItemDriver,
} from "@platform-rpc/server/testing";
import { DeleteItemResponseSchema } from "@platform-rpc/types";
import { afterAll, beforeAll } from "vitest";
import { hostPlatform } from "../testing/hosted-platform.js";
import { answerOf, rejection } from "../testing/item-answer.js";

let platform: Awaited<ReturnType<typeof hostPlatform>>;
beforeAll(async () => {
  platform = await hostPlatform();
});
afterAll(() => platform.end());

interface ClientOptions {
  readonly baseUrl: string;
  readonly token: () => Promise<string> | string | { readonly accessToken: string; readonly expiresAt: Date };
  readonly fetch?: typeof fetch;
}
type Deleting = (options: ClientOptions, request: connectEntry.DeleteItemInput) => Promise<unknown>;

/** Each entry of the client, with the JSON of what it returns. */
const entries: Readonly<Record<string, Deleting>> = {
  "@platform-rpc/client": async (options, request) =>
    toJson(DeleteItemResponseSchema, await connectEntry.createPlatformClient(options).vault.deleteItem(request), {
      alwaysEmitImplicit: true,
    }),
  "@platform-rpc/client/json": (options, request) => jsonEntry.createPlatformClient(options).vault.deleteItem(request),
};

const baseVersionOf = (call: ItemCall) => ("baseVersion" in call ? call.baseVersion : Number.NaN);

/** Returns what a client returned or threw. */
async function outcomeOf(deleting: Promise<unknown>): Promise<ItemAnswer> {
  try {
    return answerOf(await deleting);
  } catch (error) {
    if (!isPlatformError(error)) throw error;
    return rejection(error.reason ?? error.code, error.detail);
  }
}

for (const [entry, deleteItem] of Object.entries(entries)) {
  for (const where of ["listener", "stock"] as const) {
    describeItemCases(
      `${entry} against ${where === "stock" ? "a stock Connect server" : "a listener"}`,
      deleteItemCases,
      { roles: "every", time: true, floors: false, outcomes: "one of each" },
      (): ItemDriver => ({
        host: createStorageHost(platform.storage, platform.clock, platform.subject.principalId),
        caller: platform.subject,
        call: ({ vaultId, itemId }, call) => {
          const options = { baseUrl: platform.baseUrls[where], token: platform.issue };
          return outcomeOf(deleteItem(options, { vaultId, itemId, baseVersion: baseVersionOf(call) }));
        },
      }),
    );
  }
}
