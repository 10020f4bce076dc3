import {
  answerDeviceAuthorization,
  type DeviceAuthorizationAnswer,
  getDeviceAuthorization,
} from "../../domain/answer-device-authorization.js";
import { exchangeDeviceCode } from "../../domain/exchange-device-code.js";
import { oauthClients, principals } from "../../domain/model/access.js";
import { type DeviceAuthorization, deviceAuthorizations, userCodes } from "../../domain/model/device-authorization.js";
import { type RedeemOutcome, redeemWithProof } from "../../domain/redeem-with-proof.js";
import { startDeviceAuthorization } from "../../domain/start-device-authorization.js";
import { refOf, type Storage } from "../../ports/storage.js";
import { deleteOperation, deleteScope, exchangeOperation, exchangeScope } from "../cases/device-case.js";
import type { FakeClock } from "../fake-clock.js";
import { actor, oauthClientId, principalId, tenantId } from "./fixture.js";
import { readValue, storeValue, storeValues } from "./values.js";

const scope = "vault.items:delete";
const popKeyId = "thumbprint";

/** The scopes that the operations of the suite need. */
export const requiredScopes = new Map([
  ["suite", [scope]],
  [deleteOperation, [deleteScope]],
  [exchangeOperation, [exchangeScope]],
]);
const approver = { tenantId, principalId };

interface ExchangeCall {
  /** Default: the OAuth client that started the device authorization. */
  readonly caller?: string;
  /** Default: the tenant of the device authorization. */
  readonly tenant?: string;
  /** The principal that calls. Default: the approver. */
  readonly by?: string;
  readonly key?: string | undefined;
  /** Whether a grant opens a refresh family. Default: false. */
  readonly opensFamily?: boolean;
  /** The thumbprint of the key of which the caller has a proof, if a grant opens a family. */
  readonly proof?: string;
}

/** Creates the operations on device authorizations. `series` distinguishes its grants from those of other fixtures. */
export function createDeviceFixture(
  storage: Pick<Storage, "transact" | "readRecords">,
  clock: Pick<FakeClock, "now">,
  series = "",
) {
  let drawn = 0;

  return {
    /** Writes the OAuth client that starts device authorizations, and the principal that approves them. */
    async setUp(allowedOperations: readonly string[] = ["suite"], enabled = true, active = true): Promise<void> {
      const oauthClient = {
        tenantId,
        oauthClientId,
        name: "Agent",
        allowedOperations,
        redirectUris: ["http://127.0.0.1/callback"],
        grantTypes: ["refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
        requirePushedAuthorizationRequests: true,
        enabled,
        registeredAt: 1,
        registeredBy: "admin-1",
      };
      const principal = { ...approver, active };
      await storeValues(storage, oauthClients.create(oauthClient, 0), principals.create(principal, 0));
    },

    async setApproverActive(active: boolean): Promise<void> {
      const principal = { ...approver, active };
      await storeValue(storage, principals, principal);
    },

    async start(
      code: string,
      userCode = `user-${code}`,
      wantedOf: { scopes?: readonly string[]; popKeyId?: string; client?: string } = {},
    ) {
      const { scopes: requestedScopes = [scope], popKeyId: boundTo = popKeyId, client = oauthClientId } = wantedOf;
      const codes = { deviceCodeHash: code, userCodeHash: userCode };
      const wanted = { ...codes, tenantId, oauthClientId: client, requestedScopes, popKeyId: boundTo };
      const { outcome } = await storage.transact(
        refOf(userCodes.key(tenantId, userCode), oauthClients.key(tenantId, client)),
        startDeviceAuthorization(wanted, actor, clock.now()),
      );
      return outcome;
    },

    async answer(userCode: string, answer: DeviceAuthorizationAnswer = { approve: [scope] }, by = approver) {
      const { outcome } = await storage.transact(
        refOf(userCodes.key(by.tenantId, userCode), principals.key(by.tenantId, by.principalId)),
        answerDeviceAuthorization(userCode, by, answer, { ...actor, ...by }, clock.now()),
      );
      return outcome;
    },

    /** Reads a device authorization as a user does who is asked to approve it. */
    async look(userCode: string, by = approver) {
      const ref = refOf(userCodes.key(by.tenantId, userCode), principals.key(by.tenantId, by.principalId));
      return (await storage.transact(ref, getDeviceAuthorization(userCode, by, clock.now()))).outcome;
    },

    async exchange(code: string, call: ExchangeCall = {}): Promise<RedeemOutcome> {
      const { caller = oauthClientId, tenant = tenantId, by: agentId = principalId, key, opensFamily = false } = call;
      drawn += 1;
      const input = {
        deviceCodeHash: code,
        idempotencyKeyHash: key,
        grantId: `grant-${series}${drawn}`,
        accessTokenId: `access-${series}${drawn}`,
        brokerTokenId: `broker-${series}${drawn}`,
        keyId: "key-1",
        requiredScopes,
      };
      const by = { ...actor, tenantId: tenant, principalId: agentId, oauthClientId: caller };
      const { outcome } = await storage.transact(
        refOf(deviceAuthorizations.key(tenant, code)),
        opensFamily
          ? redeemWithProof({ ...input, proofKeyId: call.proof ?? popKeyId }, by, clock.now())
          : exchangeDeviceCode(input, by, clock.now()),
      );
      return outcome;
    },

    find: (code: string): Promise<DeviceAuthorization | undefined> => readValue(storage, deviceAuthorizations, code),
  };
}

export function resultOf(outcome: RedeemOutcome): string {
  return outcome.ok ? outcome.status : outcome.reason;
}
