import {
  type CreateVaultOutcome,
  createVault,
  type SetVaultMemberOutcome,
  setVaultMember,
} from "../domain/manage-vault.js";
import { defaultRetentionDays } from "../domain/vault.js";
import type { Clock } from "../ports/clock.js";
import type { Secrets } from "../ports/secrets.js";
import type { Storage } from "../ports/storage.js";
import type { Call } from "./call.js";

/** The vault to create. */
export interface CreateVaultInput {
  readonly tenantId: string;
  /** Empty: an id is generated. */
  readonly vaultId: string;
  /** How many days a deleted item can be restored. Default: 30. */
  readonly retentionDays: number | undefined;
}

/** Creates a vault. */
export function createCreateVault(deps: { storage: Storage; clock: Clock; secrets: Secrets }) {
  const { storage, clock, secrets } = deps;
  return async (input: CreateVaultInput, { actor, wanted }: Call): Promise<CreateVaultOutcome> => {
    const { tenantId, retentionDays = defaultRetentionDays } = input;
    const vaultId = input.vaultId === "" ? secrets.newId() : input.vaultId;
    const { outcome } = await storage.transact(
      { kind: "vault", tenantId, vaultId },
      createVault({ tenantId, vaultId, retentionDays }, actor, clock.now()),
      { wanted },
    );
    return outcome;
  };
}

/** A principal and its new role in a vault. */
export interface SetVaultMemberInput {
  readonly tenantId: string;
  readonly vaultId: string;
  readonly principalId: string;
  /**
   * `owner`, `admin` and `member` may read and change items. Any other role, such as `viewer`, may only read them. `owner` and `admin`
   * also see what every member does. Empty: the principal is removed from the vault.
   */
  readonly role: string;
}

/** Gives a principal a role in a vault, or removes the principal from the vault. */
export function createSetVaultMember({ storage, clock }: { storage: Storage; clock: Clock }) {
  return async (input: SetVaultMemberInput, { actor, wanted }: Call): Promise<SetVaultMemberOutcome> => {
    const { tenantId, vaultId, principalId, role } = input;
    const { outcome } = await storage.transact(
      { kind: "vault", tenantId, vaultId },
      setVaultMember(principalId, role === "" ? undefined : role, actor, clock.now()),
      { wanted },
    );
    return outcome;
  };
}
