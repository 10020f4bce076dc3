import type { JsonObject } from "@bufbuild/protobuf";
import type { PublicOperation } from "./public-operations.ts";

/** What is sent back and forth when an operation is called. */
export interface Examples {
  /** Bodies, by a name for programs. */
  readonly requests: Readonly<Record<string, JsonObject>>;
  readonly responses: Readonly<Record<string, JsonObject>>;
  /** The details of its errors, by type. */
  readonly errorDetails: Readonly<Record<string, JsonObject>>;
}

/** @throws TypeError when an operation has no examples. */
export function examplesOf({ name }: PublicOperation): Examples {
  const found = examples[name];
  if (found === undefined) throw new TypeError(`${name} has no examples: add them to examples.ts`);
  return found;
}

const retryInfo = { retryDelay: "1s" };

const pending = {
  tokenType: "",
  accessToken: "",
  expiresInSeconds: 540,
  intervalSeconds: 5,
} satisfies JsonObject;

const final = { ...pending, expiresInSeconds: 0, intervalSeconds: 0 } satisfies JsonObject;

const examples: Readonly<Record<string, Examples>> = {
  "platform.v1.VaultService/DeleteItem": {
    requests: { delete: { vaultId: "vault-1", itemId: "item-7", baseVersion: 3 } },
    responses: {
      deleted: {
        item: {
          itemId: "item-7",
          tenantId: "tenant-1",
          vaultId: "vault-1",
          version: 4,
          kind: "login",
          titleHash: "q8b1WcUoJfVfmMnsJYk3tw",
          updatedAt: "2026-01-15T09:30:00.250Z",
          encryptedPayload: {
            alg: "A256GCM",
            nonce: "3q2-7wAAAAAAAAAA",
            aad: "",
            ciphertext: "kX3v8m5tQw",
            version: 1,
          },
          wrappedKeys: [{ recipientId: "principal-1", wrapAlg: "A256KW", wrappedKey: "x0uQp2m7Zs8" }],
          deleted: true,
        },
        cursor: { vaultId: "vault-1", sequence: 42 },
      },
      shredded: {
        item: {
          itemId: "item-7",
          tenantId: "tenant-1",
          vaultId: "vault-1",
          version: 4,
          kind: "login",
          titleHash: "",
          updatedAt: "2026-01-15T09:30:00.250Z",
          encryptedPayload: { alg: "A256GCM", nonce: "", aad: "", ciphertext: "", version: 1 },
          wrappedKeys: [],
          deleted: true,
        },
        cursor: { vaultId: "vault-1", sequence: 42 },
      },
    },
    errorDetails: {
      "google.rpc.BadRequest": {
        fieldViolations: [{ field: "baseVersion", description: "must be greater than or equal to 1" }],
      },
      "google.rpc.RetryInfo": retryInfo,
      "platform.v1.VersionConflict": {
        itemId: "item-7",
        baseVersion: 3,
        currentVersion: 4,
        deleted: false,
        cursor: { vaultId: "vault-1", sequence: 42 },
      },
    },
  },
  "platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization": {
    requests: { exchange: { deviceCode: "<DEVICE_CODE>" } },
    responses: {
      approved: {
        status: "approved",
        tokenType: "Bearer",
        accessToken: "<ACCESS_TOKEN>",
        expiresInSeconds: 900,
        intervalSeconds: 0,
        brokerToken: {
          accessToken: "<BROKER_TOKEN>",
          tokenId: "01980f6e-7d2c-7b43-9f1e-1a2b3c4d5e6f",
          tenantId: "tenant-1",
          principalId: "principal-1",
          scopes: ["vault.items:delete"],
          role: "agent",
          popKeyId: "",
          issuedAt: "2026-01-15T09:30:00Z",
          expiresAt: "2026-01-15T09:45:00Z",
        },
        message: "The user has approved. Use the tokens until they expire.",
      },
      authorization_pending: {
        status: "authorization_pending",
        ...pending,
        message: "The user has not decided yet. Poll again after the interval.",
      },
      slow_down: {
        status: "slow_down",
        ...pending,
        intervalSeconds: 10,
        message: "You poll too often. Wait for the new, longer interval before each poll.",
      },
      access_denied: {
        status: "access_denied",
        ...final,
        message: "The device authorization was denied. Stop polling.",
      },
      expired_token: {
        status: "expired_token",
        ...final,
        message: "The device code has expired. Start a new device authorization.",
      },
    },
    errorDetails: {
      "google.rpc.BadRequest": {
        fieldViolations: [{ field: "Idempotency-Key", description: "must be 16 to 128 visible ASCII characters" }],
      },
      "google.rpc.RetryInfo": retryInfo,
    },
  },
};
