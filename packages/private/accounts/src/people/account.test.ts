import { expect, it } from "vitest";
import { type Account, accounts, longestPublicKey, mostPasskeys } from "./account.js";

it("the largest account fits into a record of 64 KiB", () => {
  const wrappedKeys = {
    version: 1 as const,
    salt: "A".repeat(22),
    nonce: "A".repeat(16),
    ciphertext: "A".repeat(3500),
  };
  const passkey = {
    id: "A".repeat(1364),
    publicKey: "A".repeat(longestPublicKey),
    counter: 2 ** 32 - 1,
    transports: ["ble", "hybrid", "internal", "nfc", "usb"],
    backedUp: false,
    name: "\u674e".repeat(64),
    createdAt: Date.now(),
    lastUsedAt: Date.now(),
    wrappedKeys,
  };
  const account: Account = {
    tenantId: "t".repeat(128),
    accountId: "A".repeat(128),
    createdAt: Date.now(),
    displayName: "\u674e".repeat(64),
    passkeys: Array.from({ length: mostPasskeys }, () => passkey),
    recovery: { locator: "A".repeat(22), signInPublicKey: "A".repeat(43), wrappedKeys },
    mustConfirmCode: true,
  };
  const { record } = accounts.create(account, 0);
  expect(accounts.read(record)).toEqual(account);
  expect(Buffer.byteLength(record.value)).toBeLessThanOrEqual(65_536);
});
