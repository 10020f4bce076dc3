import { ownCall } from "@platform-rpc/accounts/http/own-call";
import { generateMemberKeys, openMemberKeys } from "@platform-rpc/accounts/keys/member-keys";
import type { MemberKeys } from "@platform-rpc/accounts/keys/user-keys";
import { memberKeys } from "@platform-rpc/accounts/people/member-keys";
import { firstKey, wrappedFor } from "@platform-rpc/accounts/vaults/change-vault";
import { type StoredVaultKey, vaultKeys } from "@platform-rpc/accounts/vaults/vault-key";
import {
  createVaultKey,
  openVaultKey,
  sealItem,
  sealVaultName,
  titleHash,
  type VaultKey,
  wrapVaultKey,
} from "@platform-rpc/client/crypto";
import { type ItemContent as PlainContent, writeContent } from "@platform-rpc/items/item-content";
import type { Clock, Platform } from "@platform-rpc/server";
import type { ItemContent, Secrets } from "@platform-rpc/server/host";
import { demoTenant } from "../settings/settings.js";
import { demoUser, demoVault } from "./demo-files.js";

/** Encrypts and signs a new item of the demo's vault, as the software of a person does. */
export type DemoSealer = (itemId: string, kind: string, content: PlainContent) => Promise<ItemContent>;

/** Gives the demo's vault a key and a name, if it has none, so that the demo user can write in it. Resolves with what seals its items. */
export async function openDemoVault(deps: {
  readonly operations: Platform["own"];
  readonly secrets: Secrets;
  readonly clock: Clock;
  /** The serialized keys of the demo user. */
  readonly keys: Uint8Array<ArrayBuffer>;
}): Promise<DemoSealer> {
  const { operations: own, secrets, clock, keys } = deps;
  const call = ownCall("demo", secrets);
  const place = { tenantId: demoTenant, vaultId: demoVault } as const;

  async function findMember(): Promise<MemberKeys> {
    const account = { accountId: demoUser, userKeys: keys };
    const stored = memberKeys.open(await own.getRecord(memberKeys.key(demoTenant, demoUser), call));
    const made = await generateMemberKeys(account);
    if (stored !== undefined) {
      // After the key file was lost, nothing opens what is stored. The demo's own requests must still succeed.
      return openMemberKeys(stored.value.sealed, account).catch(() => openMemberKeys(made, account));
    }
    const { record } = memberKeys.create({ tenantId: demoTenant, accountId: demoUser, sealed: made }, clock.now());
    await own.putRecord({ record, events: [{ subject: `account:${demoUser}`, event: "member keys created" }] }, call);
    return openMemberKeys(made, account);
  }

  async function findVaultKey({ wrappingKey }: MemberKeys): Promise<{ stored: StoredVaultKey; vaultKey: VaultKey }> {
    const wrapping = (keyId: string) => ({ wrappingKey, accountId: demoUser, vaultId: demoVault, keyId, epoch: 1 });
    const stored = vaultKeys.open(await own.getRecord(vaultKeys.key(demoTenant, demoVault), call))?.value;
    const made = await createVaultKey();
    if (stored !== undefined) {
      const opening = openVaultKey(wrappedFor(stored, demoUser), wrapping(stored.keyId));
      return { stored, vaultKey: await opening.catch(() => made) };
    }
    const keyId = secrets.newId();
    const created = firstKey({
      ...place,
      keyId,
      principalId: demoUser,
      wrappedKey: await wrapVaultKey(made, wrapping(keyId)),
      encryptedName: await sealVaultName("Demo", { ...place, vaultKey: made, epoch: 1, revision: 1 }),
    });
    const { record } = vaultKeys.create(created, clock.now());
    await own.putRecord({ record, events: [{ subject: `vault:${demoVault}`, event: "key created" }] }, call);
    return { stored: created, vaultKey: made };
  }

  const member = await findMember();
  const { stored, vaultKey } = await findVaultKey(member);
  return async (itemId, kind, content) =>
    sealItem({
      place: { ...place, itemId, version: 1 },
      kind,
      titleHash: await titleHash(vaultKey, content.title),
      plaintext: new TextEncoder().encode(writeContent(content)),
      recipients: [{ recipientId: stored.keyId, vaultKey }],
      writer: { writerId: demoUser, privateKey: member.signingKey },
    });
}
