import { join } from "node:path";

export const demoUser = "demo-user";
export const demoOauthClient = "demo-agent";
export const demoVault = "demo-vault";

/** The paths of the demo's files. All of them contain secrets. */
export interface DemoFiles {
  /** The demo user's keys. Only they decrypt the items in the vault; the server has no key that does. */
  readonly userKey: string;
  /** The demo user's recovery code, which signs in at the accounts origin and unlocks these keys. */
  readonly recoveryCode: string;
  /** An access token for both public operations. */
  readonly accessToken: string;
  /** The body of a DeleteItem that succeeds. */
  readonly deleteItem: string;
  /** The body of an exchange with an approved device code. */
  readonly exchange: string;
  /** The body of an exchange with a pending device code. */
  readonly pollPending: string;
  /** The body of the private call that approves the pending device code. */
  readonly approvePending: string;
}

export function demoFilesIn(folder: string): DemoFiles {
  return {
    userKey: join(folder, "user-key.json"),
    recoveryCode: join(folder, "recovery-code.txt"),
    accessToken: join(folder, "access.token"),
    deleteItem: join(folder, "delete-item.json"),
    exchange: join(folder, "exchange.json"),
    pollPending: join(folder, "poll-pending.json"),
    approvePending: join(folder, "approve-pending.json"),
  };
}
