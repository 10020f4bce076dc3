import { text } from "node:stream/consumers";
import { contentProblem, type ItemContent, readContent, writeContent } from "@platform-rpc/items/item-content";
import { memoryOf } from "@platform-rpc/items/testing/memory-of";
import { ProgramError, type UnlockedVaults } from "@platform-rpc/signed-in";
import { expect } from "vitest";
import { listen, platform, signedIn } from "./run-program.js";

interface StoredItem {
  readonly itemId: string;
  readonly kind: string;
  readonly version: number;
  readonly deleted?: boolean;
  readonly encryptedPayload: { readonly ciphertext?: string };
  readonly updatedAt: string;
}

interface FakeRequest {
  readonly vaultId: string;
  readonly itemId: string;
  readonly baseVersion?: number;
  readonly kind: string;
  readonly titleHash: string;
  readonly encryptedPayload: StoredItem["encryptedPayload"];
  readonly items?: readonly { readonly itemId: string; readonly baseVersion: number; readonly proof?: object }[];
}

const scopes = ["vault.items:read", "vault.items:write", "vault.items:delete", "vault.items:restore"];

/** Where the pages are. Only browsers connect to it. */
export const fakePages = "http://accounts.localhost:8082";

/** A head was stored just now: no other one is due. */
const memory = memoryOf(new Map([["/head-stored", { version: Date.now(), hash: "", deleted: 0 }]]));

const encode = (content: ItemContent) => Buffer.from(writeContent(content)).toString("base64url");

/** What the machine has unlocked, where an encrypted content is only encoded. An item whose id starts with `forged` is not verified, and one with `older` is older than what was seen. */
export const fakeUnlocked: UnlockedVaults = {
  expiresAt: new Date(Date.now() + 600_000),
  vaultIds: ["v-1"],
  has: () => true,
  nameOf: async ({ encryptedName }) => encryptedName || "Personal",
  open: async ({ itemId, encryptedPayload }) => {
    const content = readContent(Buffer.from(encryptedPayload?.ciphertext ?? "", "base64url").toString());
    if (content === undefined) throw new ProgramError("It cannot be decrypted.");
    const finding = { what: "older", seen: 3, sent: 1 } as const;
    return {
      ...{ content, revision: { version: 1, hash: "" }, isVerified: !itemId.startsWith("forged") },
      ...(itemId.startsWith("older") && { finding }),
    };
  },
  remember: async () => {},
  signDeletion: async (version) => ({ writerId: "ada", signature: JSON.stringify(version) }),
  deletedBy: async (version, proof) => (proof?.signature === JSON.stringify(version) ? "you" : undefined),
  headKeysOf: () => ({ tenantId: "acme", writers: [], writer: expect.anything(), memory }),
  async seal({ content, ...place }) {
    const problem = contentProblem(content);
    if (problem !== undefined) throw new ProgramError(problem, "usage");
    const encryptedPayload = { alg: "A256GCM", nonce: "", aad: "", ciphertext: encode(content), version: 1 };
    return { ...place, titleHash: "hash", encryptedPayload, wrappedKeys: [] };
  },
};

/** A platform with vaults of one person, in memory: `v-1`, which is called Personal, and those that are added. */
export async function startFakeVaults() {
  const vaults = new Map([["v-1", ""]]);
  const items = new Map<string, StoredItem>();
  const requests: string[] = [];
  const proofs = new Map<string, object | undefined>();
  const key = (vaultId: string, itemId: string) => `${vaultId}/${itemId}`;
  const put = (vaultId: string, item: StoredItem) => void items.set(key(vaultId, item.itemId), item);
  const methods: Record<string, (request: FakeRequest) => object | undefined> = {
    ListVaults: () => ({
      vaults: [...vaults].map(([vaultId, encryptedName]) => ({ vaultId, encryptedName, role: "owner" })),
    }),
    ListChanges: ({ vaultId }) => {
      const found = [...items].filter(([id]) => id.startsWith(`${vaultId}/`));
      return {
        changes: found.map(([id, item], at) => {
          return { sequence: at + 1, item: { ...item, vaultId }, deletionProofs: { deleted: proofs.get(id) } };
        }),
      };
    },
    GetItem: ({ vaultId, itemId }) => {
      const item = items.get(key(vaultId, itemId));
      return item && { item: { ...item, vaultId } };
    },
    PutItem: ({ vaultId, itemId, baseVersion = 0, kind, titleHash, encryptedPayload }) => {
      const item = {
        itemId,
        ...{ kind, titleHash },
        version: baseVersion + 1,
        encryptedPayload,
        updatedAt: new Date().toISOString(),
      };
      put(vaultId, item);
      return { item: { ...item, vaultId } };
    },
    DeleteItems: ({ vaultId, items: [wanted] = [] }) => {
      const item = items.get(key(vaultId, wanted?.itemId ?? ""));
      if (item === undefined || wanted?.baseVersion !== item.version)
        return { outcomes: [{ reason: "ITEM_NOT_FOUND" }] };
      const deleted = { ...item, version: item.version + 1, deleted: true };
      put(vaultId, deleted);
      proofs.set(key(vaultId, item.itemId), wanted.proof);
      return { outcomes: [{ item: { ...deleted, vaultId } }] };
    },
    DeleteItem: ({ vaultId, itemId, baseVersion = 0 }) => {
      const item = items.get(key(vaultId, itemId));
      if (item === undefined) return undefined;
      const deleted = { ...item, version: baseVersion + 1, deleted: true };
      put(vaultId, deleted);
      return { item: { ...deleted, vaultId }, cursor: { vaultId, sequence: 1 } };
    },
    "oauth-authorization-server": () => ({ issuer: url, authorization_endpoint: `${fakePages}/oauth/authorize` }),
  };
  const { url } = await listen(async (request, response) => {
    const name = request.url?.split("/").at(-1) ?? "";
    requests.push(name);
    const answer = methods[name]?.(JSON.parse((await text(request)) || "{}"));
    const error = {
      code: "not_found",
      message: "The item does not exist.",
      details: [
        { type: "google.rpc.ErrorInfo", debug: { reason: "ITEM_NOT_FOUND", domain: "platform.v1", metadata: {} } },
      ],
    };
    response
      .writeHead(answer === undefined ? 404 : 200, { "Content-Type": "application/json" })
      .end(JSON.stringify(answer ?? error));
  });
  const folder = await signedIn(url, { scopes });
  return {
    url,
    folder,
    vaults,
    requests,
    /** What proves deletions, by the ids of vault and item: a server that lies leaves it out, or has another one. */
    proofs,
    /** Stores an item of the vault `v-1` or another one. */
    add(itemId: string, content: ItemContent, { kind = "login", vaultId = "v-1", deleted = false } = {}) {
      const updatedAt = "2026-11-20T08:00:00Z";
      put(vaultId, { itemId, kind, version: 1, deleted, encryptedPayload: { ciphertext: encode(content) }, updatedAt });
    },
    contentOf(itemId: string, vaultId = "v-1") {
      const { encryptedPayload } = items.get(key(vaultId, itemId)) ?? {};
      return readContent(Buffer.from(encryptedPayload?.ciphertext ?? "", "base64url").toString());
    },
    /** Runs the program as the person. */
    run: (words: readonly string[], parts: Parameters<typeof platform>[2] = {}, environment = {}) =>
      platform(words, { PLATFORM_CONFIG_DIR: folder, ...environment }, parts),
  };
}
