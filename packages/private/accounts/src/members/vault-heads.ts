import type { Call, Platform } from "@platform-rpc/server";
import {
  type AccessRejection,
  type Decision,
  defineCollection,
  defineRule,
  type ItemSnapshot,
} from "@platform-rpc/server/host";
import * as z from "zod";

const storedHead = z.object({
  tenantId: z.string(),
  vaultId: z.string(),
  principalId: z.string(),
  sequence: z.number(),
  items: z.number(),
  hash: z.string(),
  writerId: z.string(),
  signature: z.string(),
});

type StoredHead = z.infer<typeof storedHead>;
type NewHead = Pick<StoredHead, "sequence" | "items" | "hash" | "writerId" | "signature">;

/** The heads of vaults, which the server cannot verify: one for each member, because no member knows the keys of another. No id contains a slash. */
const vaultHeads = defineCollection<StoredHead>("vault-head", {
  schema: storedHead.parse,
  keyOf: ({ tenantId, vaultId, principalId }) => ({ tenantId, key: `${vaultId}/${principalId}` }),
  ownerOf: ({ principalId }) => ({ principalId }),
});

type PutHeadOutcome = { readonly ok: true } | AccessRejection;

/** Stores a head with a larger sequence than the stored one. @param newest the sequence of the vault */
const putHead = defineRule(
  (snapshot: ItemSnapshot, head: StoredHead, newest: number, now: number): Decision<PutHeadOutcome> => {
    const { vault, role, record } = snapshot;
    if (vault === undefined || role === undefined) return rejected("VAULT_NOT_FOUND");
    if (!rolesThatWrite.includes(role)) return rejected("ROLE_FORBIDS_CHANGE");
    const stored = vaultHeads.read(record)?.sequence ?? 0;
    // A head above the vault would shut out those that follow.
    const isNext = head.sequence > stored && head.sequence <= newest;
    return { outcome: { ok: true }, writes: isNext ? [vaultHeads.put({ find: () => record }, head, now)] : [] };
  },
);

const rolesThatWrite: readonly string[] = ["owner", "admin", "member"];

function rejected(reason: AccessRejection["reason"]): Decision<PutHeadOutcome> {
  return { outcome: { ok: false, reason }, writes: [] };
}

export function createVaultHeads(own: Pick<Platform["own"], "getRecords" | "decide" | "listVaults">) {
  const keyOf = (vaultId: string, { tenantId, principalId }: Call["actor"]) =>
    vaultHeads.key(tenantId, `${vaultId}/${principalId}`);
  return {
    /** Returns the caller's heads of vaults, in their order. */
    async read(vaultIds: readonly string[], { actor }: Call): Promise<readonly (NewHead | undefined)[]> {
      if (vaultIds.length === 0) return [];
      const stored = await own.getRecords(vaultIds.map((vaultId) => keyOf(vaultId, actor)));
      return stored.map((record) => vaultHeads.read(record));
    },

    async put(vaultId: string, head: NewHead, call: Call): Promise<PutHeadOutcome> {
      const { tenantId, principalId } = call.actor;
      const wanted = storedHead.parse({ ...head, tenantId, vaultId, principalId });
      const { vaults } = await own.listVaults({ limit: 1, vaultIds: [vaultId] }, call);
      const place = { access: "member", vaultId, record: keyOf(vaultId, call.actor) } as const;
      return own.decide(place, "write", (now) => putHead(wanted, vaults[0]?.head ?? 0, now), call);
    },
  };
}

export type VaultHeads = ReturnType<typeof createVaultHeads>;
