import { generateMemberKeys, openMemberKeys, type SealedMemberKeys } from "../keys/member-keys.js";
import { importUserKeys, type MemberKeys } from "../keys/user-keys.js";
import { callApi } from "./api.js";
import { keepUserKeys } from "./kept-keys.js";

/** Keeps the serialized keys of the signed-in person in this browser, with the member keys: these are made now if there are none. */
export async function unlockBrowser(accountId: string, userKeys: Uint8Array<ArrayBuffer>): Promise<void> {
  const keys = await importUserKeys(userKeys);
  // Without them, everything but vaults with a key works: the person must not be kept out.
  const member = await memberKeysOf(accountId, userKeys).catch(() => undefined);
  await keepUserKeys(accountId, { ...keys, member });
}

interface StoredMemberKeys {
  readonly memberKeys?: SealedMemberKeys;
}

async function memberKeysOf(accountId: string, userKeys: Uint8Array<ArrayBuffer>): Promise<MemberKeys | undefined> {
  const place = { accountId, userKeys };
  const found = await callApi<StoredMemberKeys>("member-keys", {});
  // Another browser may make some at the same time: those that the server stored first count.
  const { memberKeys } =
    found.memberKeys === undefined
      ? await callApi<StoredMemberKeys>("member-keys", { memberKeys: await generateMemberKeys(place) })
      : found;
  return memberKeys && openMemberKeys(memberKeys, place);
}
