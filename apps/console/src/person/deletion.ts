import { forgetPasskeys } from "@platform-rpc/accounts/browser/passkeys";
import { requestAccount, signInOrReject } from "../session/call-account.js";

/**
 * Deletes the account of the person. If a request fails, the next deletion continues.
 *
 * The script of the accounts origin leaves the page when the account is deleted. It gets the promise, because other calls of the page may
 * notice first that the session has ended.
 *
 * @throws AccountError (as a rejection)
 */
export function deleteAccount(accountId: string): Promise<void> {
  const deletion = requestDeletion(accountId);
  dispatchEvent(new CustomEvent("platform-account-deletion", { detail: deletion }));
  return deletion.catch(signInOrReject);
}

async function requestDeletion(accountId: string): Promise<void> {
  // Each request deletes some of the items.
  for (let deleted = false; !deleted; ) {
    ({ deleted } = await requestAccount<{ readonly deleted: boolean }>("person/delete", { accountId }));
  }
  await forgetPasskeys(accountId);
}
