import type { Actor } from "./model/actor.js";
import { audit } from "./model/audit.js";
import { type Decision, unchanged } from "./model/decision.js";
import type { VaultSnapshot } from "./model/vault.js";
import { defineRule } from "./rule.js";

/** The id of the vault, or why it was not created. */
export type CreateVaultOutcome =
  | { readonly ok: true; readonly vaultId: string }
  | { readonly ok: false; readonly reason: "VAULT_ALREADY_EXISTS" };

export const createVault = defineRule(decideCreateVault);

/** Creates a vault. Succeeds without a change when the vault exists with the same retention. */
export function decideCreateVault(
  { vault }: VaultSnapshot,
  wanted: { readonly tenantId: string; readonly vaultId: string; readonly retentionDays: number },
  actor: Actor,
  now: number,
): Decision<CreateVaultOutcome> {
  if (vault !== undefined) {
    return unchanged(
      vault.retentionDays === wanted.retentionDays
        ? { ok: true, vaultId: vault.vaultId }
        : { ok: false, reason: "VAULT_ALREADY_EXISTS" },
    );
  }
  return {
    outcome: { ok: true, vaultId: wanted.vaultId },
    writes: [
      { kind: "vault", vault: { ...wanted, accessRevision: 0 } },
      audit(actor, now, { subjectTenantId: wanted.tenantId, subject: `vault:${wanted.vaultId}`, event: "created" }),
    ],
  };
}

/** Whether the role was set. */
export type SetVaultMemberOutcome = { readonly ok: true } | { readonly ok: false; readonly reason: "VAULT_NOT_FOUND" };

export const setVaultMember = defineRule(decideSetVaultMember);

/** Gives a principal a role in a vault, or removes its membership when `role` is undefined. */
export function decideSetVaultMember(
  { vault }: VaultSnapshot,
  principalId: string,
  role: string | undefined,
  actor: Actor,
  now: number,
): Decision<SetVaultMemberOutcome> {
  if (vault === undefined) return unchanged({ ok: false, reason: "VAULT_NOT_FOUND" });
  const { tenantId, vaultId } = vault;
  return {
    outcome: { ok: true },
    writes: [
      { kind: "member", tenantId, vaultId, principalId, role },
      audit(actor, now, {
        subjectTenantId: tenantId,
        subject: `member:${vaultId}/${principalId}`,
        event: role === undefined ? "removed" : `role ${role}`,
      }),
    ],
  };
}
