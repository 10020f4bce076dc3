import { type Call, type Clock, type Platform, StorageError } from "@platform-rpc/server";
import type { z } from "zod";
import { memberKeys } from "../people/member-keys.js";
import {
  type handOver,
  type ProgramUnlock,
  programCertificates,
  programUnlocks,
  type removal,
  type StoredUnlocks,
} from "./program-unlock.js";

/** How long a person can answer, in milliseconds. */
const unlockLifeMs = 10 * 60_000;

/** How many requests of a person can be open: a newer one ends the oldest. */
const mostUnlocks = 3;

/** How many certificates a person has. A new one replaces the oldest, whose items are not verified from then on. */
const mostCertificates = 100;

/** How many removed keys are remembered. A forgotten one has no certificate: to have one again, its person must type its code. */
const mostRemoved = 100;

/** How often a change is tried again, because another request has changed the record in between. */
const maxTries = 10;

type HandOver = z.infer<typeof handOver>;
type Removal = z.infer<typeof removal>;

/** Creates the operations with which programs ask for the keys of vaults, and people answer. The account is that of the call. */
export function createUnlocks({
  own,
  clock,
}: {
  readonly own: Pick<Platform["own"], "getRecord" | "putRecords">;
  readonly clock: Clock;
}) {
  const read = async (call: Call) => {
    const { tenantId, principalId } = call.actor;
    return programUnlocks.open(await own.getRecord(programUnlocks.key(tenantId, principalId), call));
  };
  const readCertificates = async (call: Call) => {
    const { tenantId, principalId } = call.actor;
    return programCertificates.open(await own.getRecord(programCertificates.key(tenantId, principalId), call));
  };
  const isOpen = ({ expiresAt }: ProgramUnlock) => clock.now() < expiresAt;
  const openIn = (stored: StoredUnlocks | undefined, unlockId: string) =>
    stored?.unlocks.find((each) => each.unlockId === unlockId && isOpen(each));
  const recordOf = ({ actor }: Call, unlocks: readonly ProgramUnlock[]): StoredUnlocks => ({
    tenantId: actor.tenantId,
    accountId: actor.principalId,
    unlocks: [...unlocks],
    expiresAt: Math.max(...unlocks.map(({ expiresAt }) => expiresAt)),
  });

  return {
    /** Records a request, unless the person has removed its signing key. A request with the same id is not replaced: undefined. */
    async request(
      wanted: Pick<ProgramUnlock, "unlockId" | "encryptionKey" | "signingKey" | "device" | "address">,
      call: Call,
    ): Promise<ProgramUnlock | "key removed" | undefined> {
      const { unlockId, encryptionKey, signingKey } = wanted;
      if ((await readCertificates(call))?.value.removed.some(isOf(signingKey))) return "key removed";
      for (let tries = 0; tries < maxTries; tries += 1) {
        const found = await read(call);
        const existing = openIn(found?.value, unlockId);
        if (existing !== undefined) {
          const isSame = existing.encryptionKey === encryptionKey && existing.signingKey === signingKey;
          return isSame ? existing : undefined;
        }
        const now = clock.now();
        const unlock = { ...wanted, startedAt: now, expiresAt: now + unlockLifeMs };
        const open = (found?.value.unlocks ?? []).filter(isOpen).slice(1 - mostUnlocks);
        const record = recordOf(call, [...open, unlock]);
        const put = found?.replace(record) ?? programUnlocks.create(record, now);
        if ((await own.putRecords({ puts: [put] }, call)).ok) return unlock;
      }
      throw new StorageError("contended");
    },

    find: async (unlockId: string, call: Call) => openIn((await read(call))?.value, unlockId),

    /** Returns the certificates of the account, the removals of others, and its public signing key. */
    async certificates(call: Call) {
      const { tenantId, principalId } = call.actor;
      const [found, keys] = await Promise.all([
        readCertificates(call),
        own.getRecord(memberKeys.key(tenantId, principalId), call),
      ]);
      const personKey = memberKeys.open(keys)?.value.sealed.signingPublicKey ?? "";
      const { certificates = [], removed = [] } = found?.value ?? {};
      return { certificates, removed, personKey };
    },

    /** Stores what the person hands over, with the certificate, in one step. Once: resolves with whether the request was open. */
    async answer(unlockId: string, handedOver: HandOver, call: Call): Promise<boolean> {
      for (let tries = 0; tries < maxTries; tries += 1) {
        const [found, certified] = await Promise.all([read(call), readCertificates(call)]);
        const unlock = openIn(found?.value, unlockId);
        const { certificate } = handedOver;
        const isSame = isOf(certificate.signingKey);
        const isAnswer = unlock?.handOver === undefined && unlock?.signingKey === certificate.signingKey;
        const removed = certified?.value.removed ?? [];
        if (found === undefined || !isAnswer || removed.some(isSame)) return false;
        const { tenantId, principalId: accountId } = call.actor;
        const now = clock.now();
        const all = certified?.value.certificates ?? [];
        const certifiedAt = all.find(isSame)?.certifiedAt ?? now;
        const { device } = unlock;
        const renewed = { ...certificate, certifiedAt, unlockedAt: now, ...(device !== undefined && { device }) };
        const certificates = [...all.filter((each) => !isSame(each)), renewed].slice(-mostCertificates);
        const record = { tenantId, accountId, certificates, removed };
        const unlocks = found.value.unlocks.map((each) =>
          each.unlockId === unlockId ? { ...each, handOver: handedOver } : each,
        );
        const puts = [
          found.replace(recordOf(call, unlocks)),
          certified?.replace(record) ?? programCertificates.create(record, now),
        ];
        const events = [{ subject: `account:${accountId}`, event: "vault keys handed to a program" }];
        if ((await own.putRecords({ puts, events }, call)).ok) return true;
      }
      throw new StorageError("contended");
    },

    /**
     * Removes the certificate of a program for good: what it has signed is not verified any more. One that does not exist changes
     * nothing.
     */
    async removeCertificate(removal: Removal, call: Call): Promise<void> {
      const isRemoved = isOf(removal.signingKey);
      for (let tries = 0; tries < maxTries; tries += 1) {
        const found = await readCertificates(call);
        const certificates = found?.value.certificates.filter((each) => !isRemoved(each));
        if (found === undefined || certificates?.length === found.value.certificates.length) return;
        const removed = [...found.value.removed, removal].slice(-mostRemoved);
        const puts = [found.replace({ ...found.value, certificates: certificates ?? [], removed })];
        const events = [{ subject: `account:${call.actor.principalId}`, event: "certificate of a program removed" }];
        if ((await own.putRecords({ puts, events }, call)).ok) return;
      }
      throw new StorageError("contended");
    },
  };
}

/** Returns a function that finds a signing key in certificates or removals. */
function isOf(signingKey: string) {
  return (each: Removal) => each.signingKey === signingKey;
}

export type Unlocks = ReturnType<typeof createUnlocks>;
