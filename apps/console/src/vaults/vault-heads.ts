import {
  advanceHead,
  type HeadFinding,
  judgeHead,
  type ListedVault,
  type VaultHead,
} from "@platform-rpc/items/vault/vault-head";
import { browserMemory } from "../opening/browser-memory.js";
import { listPrograms } from "../opening/certified-programs.js";
import type { Members } from "../session/console-context.js";
import type { ConsoleSession } from "../session/session.js";
import { canWrite, type OwnVault } from "./own-vault.js";

interface Person extends Pick<ConsoleSession, "tenantId" | "principalId"> {
  readonly keys: Pick<ConsoleSession["keys"], "member">;
}

/** Sends the heads that are not due yet, by the ids of their vaults. They are signed already: a page that is left has no time for it. */
const waiting = new Map<string, () => Promise<unknown>>();

/** How long the copies of vaults have waited at a position for changes that the server lists, in milliseconds, until when. */
const between = new Map<string, { readonly sequence: number; readonly waitedMs: number; readonly until: number }>();

/** A server that lists changes, but does not give them to the copy for so long, hides them, in milliseconds. */
const longestBetweenMs = 30_000;

/** How much of it counts between two answers of the server: a computer that sleeps waits for nothing. */
const longestStepMs = 10_000;

/** Stores the heads that wait. Call it when the page is locked or left. */
export function storeHeads(): void {
  for (const store of waiting.values()) store().catch(() => undefined);
  waiting.clear();
}

/**
 * Compares the copy of a vault with the heads that the person's devices have signed, and stores one if the copy goes on. Returns what
 * contradicts it.
 */
export async function checkHead(
  vault: Pick<OwnVault, "vaultId" | "role" | "key" | "head">,
  listed: Omit<ListedVault, "tenantId" | "vaultId">,
  { tenantId, principalId, keys }: Person,
  members: Members,
  now = Date.now(),
): Promise<HeadFinding | undefined> {
  const { vaultId, head } = vault;
  const copy = { tenantId, vaultId, ...listed };
  const person = { writerId: principalId, publicKey: keys.member.verificationKey };
  const isOwn = head === undefined || head.writerId === principalId;
  const programs = isOwn ? [] : await listPrograms({ tenantId, principalId, member: keys.member });
  const memory = browserMemory(`${principalId}/${vaultId}`);
  const finding = await judgeHead(head, copy, [person, ...programs], {
    read: memory.read,
    // Without storage, the copy is compared with the head that the server has.
    write: (seen) => memory.write(seen).catch(() => undefined),
  });
  waiting.delete(vaultId);
  if (finding !== undefined) return (await isBetween(finding)) ? undefined : finding;
  if (!canWrite(vault)) return undefined;
  const writer = { writerId: principalId, privateKey: keys.member.signingKey };
  const put = (next: VaultHead) => members.putVaultHead({ vaultId, head: next });
  const next = await advanceHead(copy, { head, writer, memory }, put, now);
  if (next !== undefined) waiting.set(vaultId, () => put(next));
  return undefined;

  /** Whether the copy only waits for changes that the server lists: another device has written them since. */
  async function isBetween({ what, seen }: HeadFinding): Promise<boolean> {
    if (what === "differs") return false;
    const before = between.get(vaultId);
    const stepMs = Math.max(0, Math.min(now - (before?.until ?? now), longestStepMs));
    const waitedMs = before?.sequence === copy.sequence ? before.waitedMs + stepMs : 0;
    between.set(vaultId, { sequence: copy.sequence, waitedMs, until: now });
    if (waitedMs >= longestBetweenMs) return false;
    const { hasMore, cursor } = await members.listChanges({ vaultId, afterSequence: copy.sequence, limit: 1 });
    return hasMore || (cursor?.sequence ?? 0) >= seen;
  }
}
