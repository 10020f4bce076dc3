import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type Client, createClient, type Transport } from "@connectrpc/connect";
import { createPlatformClient, createPlatformTransport, type Fetch, type PlatformClient } from "@platform-rpc/client";
import type { RenewableSession } from "@platform-rpc/client/session";
import { checkAnswer } from "@platform-rpc/items/vault/check-answer";
import { entriesOf } from "@platform-rpc/items/vault/entries-of";
import type { Item } from "@platform-rpc/types";
import {
  type Change,
  ItemUseService,
  type MemberVault,
  MemberVaultService,
  PersonService,
  ProgramUnlockService,
} from "@platform-rpc/types-internal/accounts";
import { ProgramError } from "./errors.js";
import type { SealedRequest, UnlockedVaults } from "./unlocked-vaults.js";

export interface Clients {
  /** The public API. */
  readonly platform: Pick<PlatformClient, "vault">;
  /** The API for members of vaults, at the accounts origin. */
  readonly member: Client<typeof MemberVaultService>;
}

/** The clients of a program that people use themselves. */
export interface ProgramClients extends Clients {
  /** How it gets the keys of vaults, at the accounts origin. */
  readonly unlocks: Client<typeof ProgramUnlockService>;
  /** Uses of items by agents, for the broker. */
  readonly itemUses: Client<typeof ItemUseService>;
  /** The name of the person, at the accounts origin. */
  readonly person: Client<typeof PersonService>;
}

type Member = Pick<Clients, "member">;

export function createClients(
  { apiUrl, issuer }: { readonly apiUrl: string; readonly issuer: string },
  { token }: RenewableSession,
  fetch?: Fetch,
): ProgramClients {
  // A call that waits for changes takes up to 25 s.
  const accounts = createPlatformTransport({ baseUrl: issuer, token, fetch, timeoutMs: 40_000 });
  return {
    platform: createPlatformClient({ baseUrl: apiUrl, token }),
    member: createMemberClient(accounts),
    unlocks: createClient(ProgramUnlockService, accounts),
    itemUses: createClient(ItemUseService, accounts),
    person: createClient(PersonService, accounts),
  };
}

export function createMemberClient(transport: Transport): Clients["member"] {
  return createClient(MemberVaultService, transport);
}

export async function listVaults({ member }: Member, signal: AbortSignal): Promise<MemberVault[]> {
  const vaults: MemberVault[] = [];
  const pages = entriesOf<MemberVault, string>("", ProgramError, async (pageToken) => {
    const page = await member.listVaults({ pageSize: 100, pageToken }, { signal });
    return { entries: page.vaults, next: page.nextPageToken || undefined };
  });
  for await (const vault of pages) vaults.push(vault);
  return vaults;
}

interface ChooseOptions {
  readonly signal: AbortSignal;
  /** What names the vaults. */
  readonly unlocked?: Pick<UnlockedVaults, "nameOf"> | undefined;
}

/** Returns the given vault, or the only one. @throws ProgramError if there are several. */
export async function chooseVault(
  clients: Member,
  given: string | undefined,
  { signal, unlocked }: ChooseOptions,
): Promise<string> {
  if (given !== undefined) return given;
  const vaults = await listVaults(clients, signal);
  const [only, ...others] = vaults;
  if (only === undefined) throw new ProgramError("You are not a member of any vault. Ask the owner of a vault.");
  if (others.length > 0) {
    const named = vaults.map(async (vault) =>
      unlocked === undefined ? vault.vaultId : `${vault.vaultId} (${await unlocked.nameOf(vault)})`,
    );
    const names = (await Promise.all(named)).join(", ");
    throw new ProgramError(`You are a member of several vaults. Specify the vault by its id: ${names}`, "usage");
  }
  return only.vaultId;
}

export interface ItemPlace {
  readonly vaultId: string;
  readonly itemId: string;
}

/** An item at its newest change, and what proves its deletion. */
export interface ItemChange extends Pick<Change, "sequence" | "deletionProofs"> {
  readonly item: Item;
}

/** Yields the items of a vault, tombstones included, from the one after a position. An item that changes meanwhile appears again. */
export async function* itemsOf(
  { member }: Member,
  { vaultId, after = 0 }: { readonly vaultId: string; readonly after?: number },
  signal: AbortSignal,
): AsyncGenerator<ItemChange> {
  const changes = entriesOf(after, ProgramError, async (afterSequence) => {
    const page = await member.listChanges({ vaultId, afterSequence, limit: 500 }, { signal });
    return { entries: page.changes, next: page.hasMore ? (page.cursor?.sequence ?? afterSequence) : undefined };
  });
  for await (const { sequence, item, deletionProofs } of changes) {
    if (item !== undefined) yield { sequence, item, deletionProofs };
  }
}

export async function currentItem({ member }: Member, place: ItemPlace, signal: AbortSignal): Promise<Item> {
  return present((await member.getItem(place, { signal })).item);
}

/** Deletes an item that is still at a version. @throws ProgramError if the answer is not about that */
export async function deleteItem(
  { platform }: Pick<Clients, "platform">,
  deletion: ItemPlace & { readonly baseVersion: number },
  signal: AbortSignal,
): Promise<Item> {
  return checkAnswer(deletion, (await platform.vault.deleteItem(deletion, { signal })).item, ProgramError);
}

/** Stores an item that was sealed. @throws ProgramError if the answer is not about that */
export async function putItem({ member }: Member, sealed: SealedRequest, signal: AbortSignal): Promise<Item> {
  return checkAnswer(sealed, (await member.putItem(sealed, { signal })).item, ProgramError);
}

/** Restores a deleted item if it is still at a version. Default: its current one. @throws ProgramError if it is not deleted. */
export async function restoreItem(
  clients: Member,
  { baseVersion, ...place }: ItemPlace & { readonly baseVersion: number | undefined },
  signal: AbortSignal,
): Promise<Item> {
  const { deleted, version } = await currentItem(clients, place, signal);
  // The server would report a conflict of versions.
  if (!deleted) throw new ProgramError(`Item ${place.itemId} is not deleted. There is nothing to restore.`);
  const request = { ...place, baseVersion: baseVersion ?? version };
  return present((await clients.member.restoreItem(request, { signal })).item);
}

/** What the server knows of an item, without what only its members can decrypt. */
export function summaryOf({ itemId, vaultId, kind, version, deleted, updatedAt }: Item) {
  return { itemId, vaultId, kind, version, deleted, updatedAt: updatedAt && timestampDate(updatedAt).toISOString() };
}

function present(item: Item | undefined): Item {
  if (item === undefined) throw new ProgramError("The server returned no item. Update this program.");
  return item;
}
