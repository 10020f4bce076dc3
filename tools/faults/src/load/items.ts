import type { PlatformClient } from "@platform-rpc/client/json";
import type { ItemRequest } from "@platform-rpc/server/testing";
import type { CallEnd, Journal, RecordedRequest, RecordedResult } from "../history/journal.ts";
import type { Admin } from "./admin.ts";
import type { Member } from "./member.ts";
import { fixture } from "./plan.ts";
import type { Random } from "./random.ts";
import { digestOf, endOf, itemResult, listResult } from "./responses.ts";
import { endOfFailedSend } from "./send.ts";

const { tenantId, userId, vaults, itemsPerVault, shreddingVault } = fixture;

/** The last version of each item that any response to this process has shown. */
export interface KnownItems {
  versionOf(vaultId: string, itemId: string): number;
  learn(request: RecordedRequest, end: CallEnd): void;
}

export function createKnownItems(): KnownItems {
  const versions = new Map<string, number>();
  return {
    versionOf: (vaultId, itemId) => versions.get(`${vaultId}/${itemId}`) ?? 0,
    learn(request, end) {
      if (request.on !== "item" || !("result" in end) || !("version" in end.result)) return;
      const key = `${request.vaultId}/${request.itemId}`;
      versions.set(key, Math.max(versions.get(key) ?? 0, end.result.version));
    },
  };
}

export function createItemActions(deps: {
  readonly client: PlatformClient;
  readonly admin: Admin;
  readonly member: Member;
  readonly journal: Journal;
  readonly known: KnownItems;
  readonly random: Random;
}): readonly (readonly [number, () => Promise<unknown>])[] {
  const { client, admin, member, journal, known, random } = deps;
  let repeated = { vaultId: "vault-0", itemId: "item-0", baseVersion: 1 };

  /** Calls an operation that administrators and members have. */
  const recorded = async (
    request: RecordedRequest,
    operation: string,
    body: object,
    success: (body: unknown) => RecordedResult,
    { requestId = crypto.randomUUID() as string, asMember = random.chance(0.5) } = {},
  ) => {
    const end = await journal.record(request, requestId, () => {
      const sent = asMember
        ? member.post(operation, body, requestId)
        : admin.post(`VaultAdminService/${operation}`, { tenantId, ...body }, requestId);
      return sent.then((answer) => endOf(answer, success), endOfFailedSend);
    });
    known.learn(request, end);
    return end;
  };
  const change = (vaultId: string, itemId: string, request: ItemRequest, operation: string) => {
    const body = { vaultId, itemId, ...("baseVersion" in request && { baseVersion: request.baseVersion }) };
    return recorded({ on: "item", vaultId, itemId, ...request }, operation, body, itemResult);
  };
  /** Puts an item. Repeats the request, byte for byte, if there is no answer, and sometimes if there is. */
  const put = async (vaultId: string, itemId: string, baseVersion: number) => {
    const content = newContent();
    const request = { on: "item", vaultId, itemId, kind: "put", baseVersion, content: digestOf(content) } as const;
    const body = { vaultId, itemId, baseVersion, ...content };
    const same = { requestId: crypto.randomUUID(), asMember: random.chance(0.5) };
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const end = await recorded(request, "PutItem", body, itemResult, same);
      if ("result" in end && random.chance(0.9)) return;
    }
  };
  // The server rejects a base version below 1 before it reads any data.
  const remove = async (vaultId: string, itemId: string, baseVersion: number) => {
    repeated = { vaultId, itemId, baseVersion: Math.max(baseVersion, 1) };
    await client.vault.deleteItem(repeated);
  };
  const restore = (vaultId: string, itemId: string, version: number) => {
    const baseVersion = Math.max(version, 1);
    return change(vaultId, itemId, { kind: "restore", baseVersion }, "RestoreItem");
  };
  const any = () => ({ vaultId: random.pick(vaults), itemId: `item-${random.below(itemsPerVault)}` });
  const onAny = (act: (vaultId: string, itemId: string, known: number) => Promise<unknown>) => () => {
    const { vaultId, itemId } = any();
    return act(vaultId, itemId, known.versionOf(vaultId, itemId));
  };

  return [
    [20, onAny(remove)],
    [6, onAny((vaultId, itemId, version) => remove(vaultId, itemId, version - 1 - random.below(3)))],
    [8, () => client.vault.deleteItem(repeated)],
    [20, onAny(put)],
    [16, onAny(restore)],
    [16, onAny((vaultId, itemId) => change(vaultId, itemId, { kind: "get" }, "GetItem"))],
    [
      2,
      () => {
        const { vaultId } = any();
        const request = { on: "vault", kind: "list", vaultId, after: 0 } as const;
        return recorded(request, "ListChanges", { vaultId, afterSequence: 0, limit: 500 }, listResult);
      },
    ],
    [
      4,
      async () => {
        const itemId = crypto.randomUUID();
        await put(shreddingVault, itemId, 0);
        await remove(shreddingVault, itemId, 1);
        await restore(shreddingVault, itemId, 2);
      },
    ],
  ];
}

function newContent() {
  const part = () => crypto.randomUUID().replaceAll("-", "");
  return {
    kind: "login",
    titleHash: part(),
    encryptedPayload: { alg: "A256GCM", nonce: part(), aad: part(), ciphertext: part(), version: 1 },
    wrappedKeys: [{ recipientId: userId, wrapAlg: "A256KW", wrappedKey: part() }],
  };
}

export function createItemWith({ admin, journal }: { readonly admin: Admin; readonly journal: Journal }) {
  return async (vaultId: string, itemId: string): Promise<void> => {
    const content = newContent();
    const request = { on: "item", kind: "put", vaultId, itemId, baseVersion: 0, content: digestOf(content) } as const;
    const body = { tenantId, vaultId, itemId, baseVersion: 0, ...content };
    const requestId = crypto.randomUUID();
    const end = await journal.record(request, requestId, () =>
      admin
        .post("VaultAdminService/PutItem", body, requestId)
        .then((answer) => endOf(answer, itemResult), endOfFailedSend),
    );
    if (!("result" in end && end.result.ok)) throw new Error(`An item was not created: ${JSON.stringify(end)}`);
  };
}
