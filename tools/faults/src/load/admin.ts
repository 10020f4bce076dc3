import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import * as z from "zod";
import type { Journal } from "../history/journal.ts";
import { fixture, type Target } from "./plan.ts";
import type { Random } from "./random.ts";
import { type Answer, endOf, type IssuedToken, listResult, readIssuedToken } from "./responses.ts";
import { postConnect } from "./send.ts";

/** How long `succeed` tries, in milliseconds. */
const patienceMs = 120_000;

export interface Admin {
  /** Makes a call to one of the targets. @throws if no response arrives. */
  post(operation: string, body: object, requestId: string): Promise<Answer>;
  /** Makes a call to every target, one after the other. @throws if a response does not arrive. */
  postToAll(operation: string, body: object, requestId: string): Promise<readonly Answer[]>;
  /** Makes a call that must succeed, and repeats it for up to two minutes. Returns the body of the response. */
  succeed(operation: string, body: object): Promise<unknown>;
}

/** Creates the caller of private operations. It reads the token of each target again when the target rejects it. */
export function createAdmin(targets: readonly [Target, ...Target[]], random: Random): Admin {
  const tokens = new Map<string, string>();
  const send = async (target: Target, operation: string, body: object, requestId: string): Promise<Answer> => {
    const { internalUrl, adminTokenFile } = target;
    const token = tokens.get(internalUrl) ?? (await readFile(adminTokenFile, "utf8"));
    tokens.set(internalUrl, token);
    const answer = await postConnect(`${internalUrl}/platform.internal.v1.${operation}`, body, { token, requestId });
    if (answer.status === 401) tokens.delete(internalUrl);
    return answer;
  };
  const post: Admin["post"] = (...call) => send(random.pick(targets), ...call);
  return {
    post,
    async postToAll(...call) {
      const answers: Answer[] = [];
      for (const target of targets) answers.push(await send(target, ...call));
      return answers;
    },
    async succeed(operation, body) {
      const endsAt = performance.now() + patienceMs;
      for (;;) {
        const answer = await post(operation, body, crypto.randomUUID()).catch((error) => ({
          status: 0,
          text: `${error}`,
        }));
        if (answer.status === 200) return JSON.parse(answer.text);
        if (performance.now() > endsAt) throw new Error(`${operation} failed: ${answer.status} ${answer.text}`);
        await setTimeout(100);
      }
    },
  };
}

export interface TokenSubject {
  readonly principalId: string;
  readonly oauthClientId: string;
}

export function createIssueToken({ admin, journal }: { readonly admin: Admin; readonly journal: Journal }) {
  return async (subject: TokenSubject, scopes: readonly string[]): Promise<IssuedToken> => {
    const body = { tenantId: fixture.tenantId, ...subject, scopes, expiresInSeconds: 0 };
    const token = readIssuedToken(await admin.succeed("AccessAdminService/IssueAccessToken", body));
    const result = { ok: true, tokenId: token.tokenId } as const;
    await journal.record({ on: "token", kind: "issue" }, "", async () => ({ result }));
    return token;
  };
}

const { tenantId, userId, agent, stranger, vaults, shreddingVault, budgetVaults, operations } = fixture;
const allVaults = [...vaults, shreddingVault, ...budgetVaults];

export async function prepareLoad(admin: Admin): Promise<void> {
  for (const principalId of [userId, agent.principalId, stranger.principalId]) {
    await admin.succeed("AccessAdminService/SetPrincipal", { tenantId, principalId, active: true });
  }
  for (const { oauthClientId } of [agent, stranger]) {
    const oauthClient = { tenantId, oauthClientId, name: oauthClientId, allowedOperations: operations, enabled: true };
    await admin.succeed("AccessAdminService/SetOauthClient", oauthClient);
  }
  for (const vaultId of allVaults) {
    await createVault(admin, vaultId, vaultId === shreddingVault ? 0 : 30);
  }
}

export async function createVault(admin: Admin, vaultId: string, retentionDays: number): Promise<void> {
  await admin.succeed("VaultAdminService/CreateVault", { tenantId, vaultId, retentionDays });
  for (const principalId of [userId, agent.principalId]) {
    await admin.succeed("VaultAdminService/SetVaultMember", { tenantId, vaultId, principalId, role: "member" });
  }
}

const page = z.object({ cursor: z.object({ sequence: z.number() }), hasMore: z.boolean() });

/** Reads all items through the API after the load, so that the check for linearizability sees the final state. */
export async function readFinalState(admin: Admin, journal: Journal): Promise<void> {
  for (const vaultId of allVaults) await readVault(vaultId, { admin, journal });
}

export async function readVault(
  vaultId: string,
  { admin, journal }: { readonly admin: Admin; readonly journal: Journal },
): Promise<void> {
  for (let after = 0, hasMore = true; hasMore; ) {
    await journal.record({ on: "vault", kind: "list", vaultId, after }, "", async () => {
      const body = await admin.succeed("VaultAdminService/ListChanges", {
        tenantId,
        vaultId,
        afterSequence: after,
        limit: 500,
      });
      ({
        cursor: { sequence: after },
        hasMore,
      } = page.parse(body));
      return endOf({ status: 200, text: JSON.stringify(body) }, listResult);
    });
  }
}
