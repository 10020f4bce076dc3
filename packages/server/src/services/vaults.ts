import { type OptionRules, optional, requireOptions } from "@platform-rpc/options";
import {
  type CreateVaultOutcome,
  createVault,
  type SetVaultMemberOutcome,
  setVaultMember,
} from "../domain/manage-vault.js";
import { narrow } from "../domain/model/bounds.js";
import { defaultRetentionDays, type MemberVault } from "../domain/model/vault.js";
import type { Clock } from "../ports/clock.js";
import type { Secrets } from "../ports/secrets.js";
import type { Storage } from "../ports/storage.js";
import type { Call } from "./call.js";
import { anyRole, id, idOrEmpty, wholeTo } from "./input-rules.js";

/** The vault to create. */
export interface CreateVaultInput {
  readonly tenantId: string;
  /** Empty: an id is generated. */
  readonly vaultId: string;
  /** How many days a deleted item can be restored, 0 to 90. Default: 30. */
  readonly retentionDays: number | undefined;
}

/** A principal and its new role in a vault. */
export interface SetVaultMemberInput {
  readonly tenantId: string;
  readonly vaultId: string;
  readonly principalId: string;
  /**
   * `owner`, `admin` and `member` may read and change items. `viewer` may only read them. `owner` and `admin` also see what every member
   * does. Empty: the principal is removed from the vault.
   */
  readonly role: string;
}

/** Selects a page of the caller's vaults. */
export interface ListVaultsInput {
  /** Lists the vaults whose id is greater. Default: from the first. */
  readonly afterVaultId?: string | undefined;
  /** The largest number of vaults, 1 or more. */
  readonly limit: number;
  /** Lists only these vaults, at most 20. Default: all. */
  readonly vaultIds?: readonly string[] | undefined;
}

/** One page of the caller's vaults, in the order of their ids. */
export interface ListVaultsResult {
  readonly vaults: readonly MemberVault[];
  /** Whether there are vaults after this page. */
  readonly hasMore: boolean;
}

const createVaultRules: OptionRules<CreateVaultInput> = {
  tenantId: id,
  vaultId: idOrEmpty,
  retentionDays: optional(wholeTo(90)),
};

const memberRules: OptionRules<SetVaultMemberInput> = { tenantId: id, vaultId: id, principalId: id, role: anyRole };

const nothing: ListVaultsResult = { vaults: [], hasMore: false };

/** The operations on vaults. */
export interface VaultOperations {
  /** Creates a vault. */
  createVault(input: CreateVaultInput, call: Call): Promise<CreateVaultOutcome>;

  /** Gives a principal a role in a vault, or removes the principal from the vault. */
  setVaultMember(input: SetVaultMemberInput, call: Call): Promise<SetVaultMemberOutcome>;

  /**
   * Lists the vaults of which the caller is a member, in the caller's own tenant. If the caller's delegation or the request names
   * vaults, only these are looked up, so the time says nothing about the others.
   */
  listVaults(input: ListVaultsInput, call: Call): Promise<ListVaultsResult>;
}

export function createVaultOperations(deps: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, "newId">;
}): VaultOperations {
  const { storage, clock, secrets } = deps;
  return {
    async createVault(input, { actor, wanted }) {
      requireOptions("createVault", input, createVaultRules);
      const { tenantId, vaultId: wantedId, retentionDays = defaultRetentionDays } = input;
      const vaultId = wantedId === "" ? secrets.newId() : wantedId;
      const rule = createVault({ tenantId, vaultId, retentionDays }, actor, clock.now());
      return (await storage.transact({ kind: "vault", tenantId, vaultId }, rule, { wanted })).outcome;
    },

    async setVaultMember(input, { actor, wanted }) {
      requireOptions("setVaultMember", input, memberRules);
      const { tenantId, vaultId, principalId, role } = input;
      const rule = setVaultMember(principalId, role === "" ? undefined : role, actor, clock.now());
      return (await storage.transact({ kind: "vault", tenantId, vaultId }, rule, { wanted })).outcome;
    },

    async listVaults({ afterVaultId, limit, vaultIds }, call) {
      const { actor, delegation } = call;
      const { tenantId, principalId } = actor;
      const { vaults: named, actions } = narrow({ vaults: vaultIds }, delegation?.bounds) ?? {};
      if (actions?.includes("read") === false) return nothing;
      const list = (after: string | undefined, most: number) =>
        storage.listVaults({ tenantId, principalId, afterVaultId: after, limit: most });
      const lookUp = async (vaultId: string) =>
        (await list(beforeVault(vaultId), 1)).filter((vault) => vault.vaultId === vaultId);
      const wanted = named?.filter((vaultId) => afterVaultId === undefined || vaultId > afterVaultId).sort();
      const found = wanted === undefined ? await list(afterVaultId, limit + 1) : await Promise.all(wanted.map(lookUp));
      const vaults = found.flat();
      return { vaults: vaults.slice(0, limit), hasMore: vaults.length > limit };
    },
  };
}

/** Returns a text that is before the id of a vault, and after every id before it: the characters of ids are before U+007F. */
function beforeVault(vaultId: string): string {
  return `${vaultId.slice(0, -1)}${String.fromCharCode(vaultId.charCodeAt(vaultId.length - 1) - 1)}\u007f`;
}
