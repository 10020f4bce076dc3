import { join } from "node:path";

/** The demo's files. All of them are secret. */
export interface DemoFiles {
  /** The demo user's own keys: what is in the vault can be read with them, and with nothing on the server. */
  readonly userKey: string;
  /** An access token for both public operations. */
  readonly accessToken: string;
  /** The body of a DeleteItem that succeeds. */
  readonly deleteItem: string;
  /** The body of an exchange whose device code is approved. */
  readonly exchange: string;
  /** The body of an exchange whose device code is pending. */
  readonly pollPending: string;
  /** The body of the (private) approval of that device code. */
  readonly approvePending: string;
}

export function demoFilesIn(folder: string): DemoFiles {
  return {
    userKey: join(folder, "user-key.json"),
    accessToken: join(folder, "access.token"),
    deleteItem: join(folder, "delete-item.json"),
    exchange: join(folder, "exchange.json"),
    pollPending: join(folder, "poll-pending.json"),
    approvePending: join(folder, "approve-pending.json"),
  };
}
