import type { TrustedWriter, Writer } from "@platform-rpc/client/crypto";
import { decodeBase64url, encodeBase64url } from "../base64url.js";
import { statement } from "../unlock/statement.js";
import { type MemoryStore, unseen } from "./memory.js";

/** A vault that was listed completely. */
export interface ListedVault {
  readonly tenantId: string;
  /** The vault that was requested: a server can misreport it. */
  readonly vaultId: string;
  /** The position up to which it was listed. */
  readonly sequence: number;
  /** The versions of all items by their ids, tombstones included. */
  readonly versions: ReadonlyMap<string, number>;
}

/** How far a device has seen a vault, signed. Whoever has no memory of the vault, or another one, compares what the server lists. */
export interface VaultHead {
  readonly sequence: number;
  /** The number of items, tombstones included. */
  readonly items: number;
  /** The SHA-256 of the ids and versions of all items, in base64url. */
  readonly hash: string;
  readonly writerId: string;
  /** Ed25519, in base64url. */
  readonly signature: string;
}

/** How a list contradicts heads: it ends at `sent`, before the position `seen` of one, or has other items there. */
export interface HeadFinding {
  readonly what: "behind" | "differs";
  readonly seen: number;
  readonly sent: number;
}

/** What a device signs, verifies and remembers the heads of a vault with. */
export interface HeadKeys extends Pick<ListedVault, "tenantId"> {
  readonly writers: readonly TrustedWriter[];
  readonly writer: Writer;
  readonly memory: MemoryStore;
}

type Place = Pick<ListedVault, "tenantId" | "vaultId">;

/** Where a memory has the position of the newest head, and when this device has last stored one, in milliseconds: no item has these ids. */
const [headId, storedId] = ["/head", "/head-stored"];

/** How often a device stores a head of a vault at most, in milliseconds. */
const everyMs = 60_000;

export async function signHead(listed: ListedVault, { writerId, privateKey }: Writer): Promise<VaultHead> {
  const head = { sequence: listed.sequence, items: listed.versions.size, hash: await hashOf(listed), writerId };
  const signature = await crypto.subtle.sign("Ed25519", privateKey, signedPart(listed, head));
  return { ...head, signature: encodeBase64url(new Uint8Array(signature)) };
}

/** Compares a list with the server's head, and with the newest one in the memory. Ignores one that none of the writers has signed. */
export async function judgeHead(
  head: VaultHead | undefined,
  listed: ListedVault,
  writers: readonly TrustedWriter[],
  memory: MemoryStore,
): Promise<HeadFinding | undefined> {
  const valid = head && (await isSigned(head, listed, writers)) ? head : undefined;
  const seen = await newestSeen(memory, valid?.sequence ?? 0);
  const sent = listed.sequence;
  if (sent < seen) return { what: "behind", seen, sent };
  if (valid?.sequence !== sent) return undefined;
  const isSame = valid.items === listed.versions.size && valid.hash === (await hashOf(listed));
  return isSame ? undefined : { what: "differs", seen: valid.sequence, sent };
}

/** Returns whether the device has stored no head for a minute. @param now in milliseconds since the epoch */
export async function isHeadDue(memory: MemoryStore, now = Date.now()): Promise<boolean> {
  const storedAt = (await memory.read()).get(storedId)?.version ?? 0;
  // A clock that was set back does not delay the next one.
  return now - storedAt >= everyMs || now < storedAt;
}

/**
 * Signs a list that nothing contradicts, if it goes on after the head that the server has, and stores that if it is due. The device then
 * remembers it, also if the server loses it. Returns a head that is not due yet.
 */
export async function advanceHead(
  listed: ListedVault,
  { head, writer, memory }: Pick<HeadKeys, "writer" | "memory"> & { readonly head: VaultHead | undefined },
  put: (next: VaultHead) => Promise<unknown>,
  now = Date.now(),
): Promise<VaultHead | undefined> {
  // An empty vault has nothing to hide.
  if (listed.versions.size === 0 || listed.sequence <= (head?.sequence ?? 0)) return undefined;
  const next = await signHead(listed, writer);
  if (!(await isHeadDue(memory, now))) return next;
  const seen = { [headId]: next.sequence, [storedId]: now };
  await memory.write(new Map(Object.entries(seen).map(([id, version]) => [id, { ...unseen, version }])));
  await put(next);
  return undefined;
}

export function headFindingInWords({ what, seen, sent }: HeadFinding): string {
  const found = {
    behind: `The server shows an older state of this vault than one of your devices has signed: it ends at change ${sent}, and the device has seen change ${seen}.`,
    differs: `The server shows another state of this vault than one of your devices has signed: at change ${sent}, the device has seen other items or versions.`,
  }[what];
  return `${found} A backup may have been restored. If it was not, somebody may hide changes from you: compare the vault with your other devices before you use or change its items, and ask the operator of the server.`;
}

async function newestSeen(memory: MemoryStore, sequence: number): Promise<number> {
  const seen = (await memory.read()).get(headId)?.version ?? 0;
  if (sequence > seen) await memory.write(new Map([[headId, { ...unseen, version: sequence }]]));
  return Math.max(seen, sequence);
}

async function isSigned(head: VaultHead, place: Place, writers: readonly TrustedWriter[]): Promise<boolean> {
  const writer = writers.find(({ writerId }) => writerId === head.writerId);
  if (writer === undefined) return false;
  try {
    const signature = decodeBase64url(head.signature);
    return await crypto.subtle.verify("Ed25519", writer.publicKey, signature, signedPart(place, head));
  } catch {
    return false;
  }
}

function signedPart({ tenantId, vaultId }: Place, { sequence, items, hash, writerId }: Omit<VaultHead, "signature">) {
  return statement("vault head", tenantId, vaultId, sequence, items, hash, writerId);
}

async function hashOf({ versions }: ListedVault): Promise<string> {
  const sorted = [...versions].sort(([one], [other]) => (one < other ? -1 : 1));
  const bytes = new TextEncoder().encode(JSON.stringify(sorted));
  return encodeBase64url(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}
