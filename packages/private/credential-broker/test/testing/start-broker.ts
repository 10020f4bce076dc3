import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { createBrokerTokenVerifier } from "@platform-rpc/broker";
import { PlatformError } from "@platform-rpc/client";
import { bind } from "@platform-rpc/front/bound-socket";
import { isPublicAddress } from "@platform-rpc/front/resolve-host";
import type { ContentField, ItemContent } from "@platform-rpc/items/item-content";
import { ListChangesResponseSchema } from "@platform-rpc/types-internal/accounts";
import { SignJWT } from "jose";
import { expect, onTestFinished } from "vitest";
import { type CredentialBrokerOptions, createCredentialBroker } from "../../src/credential-broker.js";
import { openJournal } from "../../src/journal.js";
import { createUpstreams, type UpstreamOptions } from "../../src/upstream.js";
import type { UseRequest } from "../../src/uses.js";
import { ca, startUpstream } from "./start-upstream.js";

const issuer = "https://accounts.example";
const audience = "https://platform.example/broker";
const issuerKey = generateKeyPairSync("ed25519");

export const secret = "s3cret/with+signs&more";

/** Returns a broker token of the person Ada, as the platform issues it. */
export function tokenOf(claims: Record<string, unknown> = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const named = { sub: "ada", tenant_id: "acme", client_id: "agent", grant_id: "g-1", jti: "t-1", role: "agent" };
  const details = [{ type: "vault", vaults: ["v-1"], actions: ["use"], max_uses: 10 }];
  const all = { iss: issuer, aud: audience, iat: now, exp: now + 900, scope: "vault.items:use", ...named };
  return new SignJWT({ ...all, authorization_details: details, ...claims })
    .setProtectedHeader({ typ: "at+jwt", alg: "Ed25519", kid: "key-1" })
    .sign(issuerKey.privateKey);
}

interface StoredItem {
  readonly kind: string;
  readonly title: string;
  readonly fields: Readonly<Record<string, string>>;
}

const types: Readonly<Record<string, ContentField["type"]>> = { website: "url", key: "secret", password: "secret" };

/** The vault v-1, whose items are not encrypted here: what opens them is tested with them. */
function createVault() {
  const items = new Map<
    string,
    StoredItem & { readonly version: number; readonly sequence: number; deleted: boolean }
  >();
  let sequence = 0;
  const contentOf = (itemId: string): ItemContent => {
    const { title, fields } = items.get(itemId) ?? expect.unreachable();
    return {
      title,
      fields: Object.entries(fields).map(([name, value]) => ({ name, type: types[name] ?? "text", value })),
    };
  };
  return {
    items,
    contentOf,
    put(itemId: string, stored: StoredItem, deleted = false) {
      sequence += 1;
      items.set(itemId, { ...stored, deleted, sequence, version: (items.get(itemId)?.version ?? 0) + 1 });
    },
    list(afterSequence: number) {
      const changes = [...items].flatMap(([itemId, { kind, version, deleted, sequence: at }]) =>
        at > afterSequence ? [{ sequence: at, item: { itemId, vaultId: "v-1", kind, version, deleted } }] : [],
      );
      return { changes, cursor: { vaultId: "v-1", sequence }, hasMore: false };
    },
  };
}

function exhausted(used: number): PlatformError {
  const detail = { allowed: used, used, page: "https://accounts.example/console/agents" };
  const status = { code: "permission_denied", status: 403, requestId: "r-1", retryable: false } as const;
  const message = `The budget of uses is used. Ask the person who approved to give more at ${detail.page}, then call again.`;
  return new PlatformError({ reason: "DELEGATION_EXHAUSTED", ...status, message, detail });
}

function conflict(itemId: string, baseVersion: number): PlatformError {
  const detail = { itemId, baseVersion, currentVersion: 2, deleted: false, cursor: { vaultId: "v-1", sequence: 2 } };
  const status = { code: "aborted", status: 409, requestId: "r-1", retryable: false } as const;
  return new PlatformError({ reason: "VERSION_CONFLICT", ...status, message: "It has changed.", detail });
}

function vaultNotFound(): PlatformError {
  const status = { code: "not_found", status: 404, requestId: "r-1", retryable: false } as const;
  return new PlatformError({ reason: "VAULT_NOT_FOUND", ...status, message: "Check `vaultId`.", detail: undefined });
}

/** A platform that counts uses up to a budget, as the real one does: each id once. */
function createCounter(vault: ReturnType<typeof createVault>, budget: number) {
  const counted = new Map<string, UseRequest>();
  const reports: (readonly [useId: string, outcome: string])[] = [];
  const state = {
    counted,
    reports,
    /** Runs before a use is counted. */
    before: async (_: UseRequest): Promise<void> => {},
    /** Runs after a use was counted. */
    after: async (_: UseRequest): Promise<void> => {},
    async use(request: UseRequest) {
      await state.before(request);
      const item = vault.items.get(request.itemId);
      if (item?.deleted !== false || item.version !== request.baseVersion) {
        throw conflict(request.itemId, request.baseVersion);
      }
      if (!counted.has(request.useId) && counted.size >= budget) {
        throw exhausted(budget);
      }
      counted.set(request.useId, request);
      await state.after(request);
    },
    async report(useId: string, outcome: string) {
      reports.push([useId, outcome]);
    },
  };
  return state;
}

export interface BrokerSetUp extends UpstreamOptions, Pick<CredentialBrokerOptions, "mostHeld"> {
  readonly budget?: number;
  readonly item?: Partial<StoredItem>;
}

/** Starts a broker with real sockets, an upstream `api.example`, and one item for that. All of it ends with the test. */
export async function startBroker({ budget = 100, item, mostHeld, ...options }: BrokerSetUp = {}) {
  const upstream = await startUpstream();
  const host = `api.example:${upstream.port}`;
  const vault = createVault();
  const key = { kind: "api_key", title: "Example", fields: { key: secret, host } };
  vault.put("i-1", { ...key, ...item });
  const counter = createCounter(vault, budget);
  const folder = await mkdtemp(join(tmpdir(), "broker-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const journal = await openJournal(join(folder, "uses.journal"), counter.report);
  const upstreams = createUpstreams({
    resolve: async (name) => [{ address: name.endsWith(".example") ? "127.0.0.1" : "10.0.0.1", family: 4 }],
    isAllowed: (address) => address === "127.0.0.1" || isPublicAddress(address),
    ca,
    ...options,
  });
  const unlocked = {
    expiresAt: new Date(Date.now() + 600_000),
    vaultIds: ["v-1", "v-2"],
    open: async ({ itemId }: { readonly itemId: string }) => ({
      content: vault.contentOf(itemId),
      revision: { version: 1, hash: "" },
      isVerified: true,
    }),
  };
  const lost = new Set<string>();
  const lock = { unlocked: unlocked as typeof unlocked | undefined };
  const socket = await bind({ port: 0, host: "127.0.0.1", backlog: 100, connections: 100 });
  const url = `http://127.0.0.1:${socket.address.port}`;
  const failures: unknown[] = [];
  const listener = createCredentialBroker({
    verifier: createBrokerTokenVerifier({ keys: () => issuerKey.publicKey, issuer, audience }),
    publicUrl: () => url,
    person: { tenantId: "acme", accountId: "ada" },
    unlocked: async () => lock.unlocked,
    member: {
      async listChanges({ vaultId = "", afterSequence = 0 }) {
        if (lost.has(vaultId)) throw vaultNotFound();
        const isEmpty = vaultId !== "v-1";
        return create(ListChangesResponseSchema, vault.list(isEmpty ? Number.POSITIVE_INFINITY : afterSequence));
      },
    },
    ...{ uses: counter, journal, upstreams, mostHeld, page: "https://accounts.example/console/agents" },
    onLoginEnded: async () => {
      lock.unlocked = undefined;
    },
    onFailed: (thrown) => void failures.push(thrown),
  });
  await listener.serve(socket);
  onTestFinished(async () => {
    await listener.close(0);
    upstreams.close();
    await journal.close();
  });
  const token = await tokenOf();
  return {
    ...{
      url,
      host,
      upstream,
      vault,
      counter,
      lock,
      lost,
      listener,
      failures,
      token,
      journal,
      upstreams,
      journalPath: join(folder, "uses.journal"),
    },
    /** Sends a request as the agent. */
    async send(path = `/${host}/path`, init: RequestInit = {}) {
      const headers = new Headers(init.headers);
      if (!headers.has("authorization")) headers.set("authorization", `Bearer ${token}`);
      const response = await fetch(url + path, { redirect: "manual", ...init, headers });
      const text = await response.text();
      return {
        status: response.status,
        reason: response.headers.get("platform-reason"),
        text,
        headers: response.headers,
      };
    },
  };
}
