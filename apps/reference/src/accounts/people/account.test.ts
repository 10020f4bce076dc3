import { expect, it } from "vitest";
import { longestPublicKey, mostPasskeys, storedAccount } from "./account.js";

it("the largest account fits into a record of 64 KiB", () => {
  const wrappedKeys = { version: 1, salt: "A".repeat(22), nonce: "A".repeat(16), ciphertext: "A".repeat(3500) };
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
  const account = storedAccount.parse({
    displayName: "\u674e".repeat(64),
    passkeys: Array.from({ length: mostPasskeys }, () => passkey),
    recovery: { locator: "A".repeat(22), signInPublicKey: "A".repeat(43), wrappedKeys },
  });
  expect(Buffer.byteLength(JSON.stringify(account))).toBeLessThanOrEqual(65_536);
});
