import { generateMemberKeys, openMemberKeys, type SealedMemberKeys } from "../keys/member-keys.js";
import { importUserKeys, type MemberKeys } from "../keys/user-keys.js";
import { callApi } from "./api.js";
import { keepUserKeys } from "./kept-keys.js";

/** As `unlockBrowser`, without the server: with the member keys that it sent before. */
export async function unlockWithout(
  memberKeys: SealedMemberKeys,
  accountId: string,
  userKeys: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const member = await openMemberKeys(memberKeys, { accountId, userKeys });
  await keepUserKeys(accountId, { ...(await importUserKeys(userKeys)), member });
}

/**
 * Keeps the serialized keys of the signed-in person in this browser, with the member keys: these are made now if there are none. Without them,
 * no vault with a key can be opened: the browser stays locked.
 *
 * @throws Error (as a rejection) if the server does not return the member keys
 */
export async function unlockBrowser(accountId: string, userKeys: Uint8Array<ArrayBuffer>): Promise<void> {
  const keys = await importUserKeys(userKeys);
  await keepUserKeys(accountId, { ...keys, member: await memberKeysOf(accountId, userKeys) });
}

interface StoredMemberKeys {
  readonly memberKeys?: SealedMemberKeys;
}

async function memberKeysOf(accountId: string, userKeys: Uint8Array<ArrayBuffer>): Promise<MemberKeys> {
  const place = { accountId, userKeys };
  const { memberKeys } = await callApi<StoredMemberKeys>("member-keys", {});
  if (memberKeys !== undefined) return openMemberKeys(memberKeys, place);
  // Another browser may make some at the same time: those that the server stored first count.
  const made = { memberKeys: await generateMemberKeys(place) };
  const stored = await callApi<Required<StoredMemberKeys>>("member-keys", made);
  return openMemberKeys(stored.memberKeys, place);
}
