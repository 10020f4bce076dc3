import { answerDeviceAuthorization, type DeviceAuthorizationAnswer } from "../../domain/answer-device-authorization.js";
import type { DeviceAuthorization } from "../../domain/device-authorization.js";
import { exchangeDeviceCode } from "../../domain/exchange-device-code.js";
import { type RedeemOutcome, redeemWithProof } from "../../domain/redeem-with-proof.js";
import { startDeviceAuthorization } from "../../domain/start-device-authorization.js";
import type { Storage } from "../../ports/storage.js";
import type { FakeClock } from "../fake-clock.js";
import { actor, oauthClientId, principalId, tenantId } from "./fixture.js";
import { commitWrites, findAuthorization } from "./rules.js";

const scope = "vault.items:delete";
const popKeyId = "thumbprint";

interface ExchangeCall {
  /** Default: the OAuth client that started the device authorization. */
  readonly caller?: string;
  readonly key?: string | undefined;
  /** Whether a grant opens a refresh family. Default: false. */
  readonly opensFamily?: boolean;
}

/** Creates the operations on device authorizations. `series` distinguishes its grants from those of other fixtures. */
export function createDeviceFixture(storage: Storage, clock: FakeClock, series = "") {
  let drawn = 0;
  const approver = { tenantId, principalId };

  return {
    /** Writes the OAuth client that starts device authorizations, and the principal that approves them. */
    async setUp(): Promise<void> {
      const oauthClient = {
        tenantId,
        oauthClientId,
        name: "Agent",
        allowedOperations: ["suite"],
        redirectUris: ["http://127.0.0.1/callback"],
        grantTypes: ["refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
        requirePushedAuthorizationRequests: true,
        enabled: true,
        registeredAt: 1,
        registeredBy: "admin-1",
      };
      const principal = { ...approver, active: true };
      await storage.transact(
        { kind: "nothing" },
        commitWrites([
          { kind: "oauthClient", oauthClient },
          { kind: "principal", principal },
        ]),
      );
    },

    async setApproverActive(active: boolean): Promise<void> {
      const principal = { ...approver, active };
      await storage.transact({ kind: "nothing" }, commitWrites([{ kind: "principal", principal }]));
    },

    async start(code: string, userCode = `user-${code}`) {
      const codes = { deviceCodeHash: code, userCodeHash: userCode };
      const wanted = { ...codes, tenantId, oauthClientId, requestedScopes: [scope], popKeyId };
      const { outcome } = await storage.transact(
        { kind: "start", userCodeHash: userCode, tenantId, oauthClientId },
        startDeviceAuthorization(wanted, actor, clock.now()),
      );
      return outcome;
    },

    async answer(userCode: string, answer: DeviceAuthorizationAnswer = { approve: [scope] }) {
      const { outcome } = await storage.transact(
        { kind: "userCode", userCodeHash: userCode, ...approver },
        answerDeviceAuthorization(approver, answer, actor, clock.now()),
      );
      return outcome;
    },

    /** Exchanges a device code. */
    async exchange(code: string, call: ExchangeCall = {}): Promise<RedeemOutcome> {
      const { caller = oauthClientId, key, opensFamily = false } = call;
      drawn += 1;
      const input = {
        idempotencyKeyHash: key,
        grantId: `grant-${series}${drawn}`,
        accessTokenId: `access-${series}${drawn}`,
        brokerTokenId: `broker-${series}${drawn}`,
        keyId: "key-1",
        requiredScopes: new Map([["suite", [scope]]]),
      };
      const by = { ...actor, oauthClientId: caller };
      const { outcome } = await storage.transact(
        { kind: "deviceCode", deviceCodeHash: code },
        opensFamily
          ? redeemWithProof({ ...input, proofKeyId: popKeyId }, by, clock.now())
          : exchangeDeviceCode(input, by, clock.now()),
      );
      return outcome;
    },

    async find(code: string): Promise<DeviceAuthorization | undefined> {
      const ref = { kind: "deviceCode", deviceCodeHash: code } as const;
      return (await storage.transact(ref, findAuthorization())).outcome;
    },
  };
}

export type DeviceFixture = ReturnType<typeof createDeviceFixture>;

/** Returns the status or the reason of an exchange. */
export function resultOf(outcome: RedeemOutcome): string {
  return outcome.ok ? outcome.status : outcome.reason;
}
