import { createServer } from "node:http";
import { fromBinary, fromJsonString } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { ConnectError, createClient } from "@connectrpc/connect";
import { connectNodeAdapter, createConnectTransport } from "@connectrpc/connect-node";
import {
  type DeleteItemResponse,
  DeleteItemResponseSchema,
  ErrorInfoSchema,
  VaultService,
  type VersionConflict,
  VersionConflictSchema,
} from "@platform-rpc/types";
import { afterAll } from "vitest";
import { connectHostOptions } from "../http/connect-host.js";
import { deleteItemCases } from "../testing/cases/delete-item.js";
import type { ItemCall } from "../testing/cases/item-case.js";
import { describeItemCases, type ItemAnswer, type ItemDriverScope } from "../testing/cases/run-item-cases.js";
import { createStorageHost } from "../testing/cases/storage-driver.js";
import { expectRpcError, reasonOf } from "./expect-rpc-error.js";
import { startPlatform } from "./start-platform.js";
import { everyRow, has, listenOn } from "./test-server.js";

const test = await startPlatform();
const stock = createServer(connectNodeAdapter(connectHostOptions(test.platform)));
const stockPort = await listenOn(stock);
afterAll(async () => {
  stock.closeAllConnections();
  stock.close();
  await test.close();
});

const caller = { tenantId: "t-1", principalId: "p-owner" };
const host = createStorageHost(test.storage, test.clock, caller.principalId);
const oneOfEach: ItemDriverScope = { roles: "every", time: true, floors: false, outcomes: "one of each" };
const scope = has(everyRow) ? { ...oneOfEach, outcomes: undefined } : oneOfEach;

const answerOf = ({ item, cursor }: DeleteItemResponse): ItemAnswer => {
  if (item?.updatedAt === undefined || item.encryptedPayload === undefined || cursor === undefined)
    throw new Error("The response has no item, no time, no payload or no cursor.");
  const { kind, titleHash, version, deleted } = item;
  const { $typeName: _, ...encryptedPayload } = item.encryptedPayload;
  const wrappedKeys = item.wrappedKeys.map(({ $typeName: _name, ...key }) => key);
  return {
    ok: true,
    item: { kind, titleHash, encryptedPayload, wrappedKeys, version, deleted },
    updatedAt: timestampMs(item.updatedAt),
    cursor: { vaultId: cursor.vaultId, sequence: cursor.sequence },
  };
};
const rejected = (reason: string, detail: VersionConflict | undefined): ItemAnswer => {
  if (detail === undefined) return { ok: false, reason };
  const { $typeName: _, cursor, ...conflict } = detail;
  const { vaultId = "", sequence = Number.NaN } = cursor ?? {};
  return { ok: false, reason, conflict: { ...conflict, cursor: { vaultId, sequence } } };
};
const baseVersionOf = (call: ItemCall) => ("baseVersion" in call ? call.baseVersion : Number.NaN);

describeItemCases("DeleteItem over HTTP", deleteItemCases, scope, () => ({
  host,
  caller,
  async call({ vaultId, itemId }, call) {
    const answer = await test.deleteItem({ vaultId, itemId, baseVersion: baseVersionOf(call) });
    if (answer.status === 200) return answerOf(fromJsonString(DeleteItemResponseSchema, answer.body));
    const reason = reasonOf(answer);
    const [, conflict] = expectRpcError(answer, reason).details;
    return rejected(reason, conflict && fromBinary(VersionConflictSchema, base64Decode(conflict.value)));
  },
}));

describeItemCases("DeleteItem in a stock Connect host", deleteItemCases, oneOfEach, () => ({
  host,
  caller,
  async call({ vaultId, itemId }, call) {
    const baseUrl = `http://127.0.0.1:${stockPort}`;
    const transport = createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: false });
    const headers = { Authorization: `Bearer ${(await test.issue()).accessToken}` };
    try {
      const request = { vaultId, itemId, baseVersion: baseVersionOf(call) };
      return answerOf(await createClient(VaultService, transport).deleteItem(request, { headers }));
    } catch (thrown) {
      const error = ConnectError.from(thrown);
      const [info] = error.findDetails(ErrorInfoSchema);
      return rejected(info?.reason ?? error.message, error.findDetails(VersionConflictSchema)[0]);
    }
  },
}));
