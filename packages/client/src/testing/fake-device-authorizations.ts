import { ofType, requireOptions } from "@platform-rpc/options";
import { type ExchangeMcpOauthDeviceAuthorizationResponse, VaultService } from "@platform-rpc/types";
import type { StartedDeviceAuthorization } from "../device/device-session.js";
import type { Clock } from "../options/clock.js";
import { refuse } from "./fake-failures.js";
import {
  answerDeviceAuthorization,
  caller,
  deviceAuthorizations,
  exchangeDeviceCode,
  exchangeResponse,
  getDeviceAuthorization,
  oauthClients,
  principals,
  type RuleStorage,
  startDeviceAuthorization,
} from "./server-rules.js";

type StartTerms = Partial<Omit<StartedDeviceAuthorization, "deviceCode">>;

const { tenantId, principalId, oauthClientId } = caller;
const user = { tenantId, principalId };
const agent = { tenantId, oauthClientId };

const scopes = ["vault.items:delete"];
const operation = `${VaultService.typeName}/${VaultService.method.deleteItem.name}`;
const requiredScopes = new Map([[operation, scopes]]);

const oauthClient = {
  ...agent,
  name: "Agent",
  allowedOperations: [operation],
  enabled: true,
  redirectUris: [],
  grantTypes: [],
  requirePushedAuthorizationRequests: false,
  registeredAt: 0,
  registeredBy: "",
};

/** A rule reads the documents that it needs. */
const documents = { kind: "records", keys: [] } as const;

const codePrefix = "pdc_fake-";

/** Creates device authorizations of the caller. The rules of the platform decide on them. */
export function createFakeDeviceAuthorizations(storage: RuleStorage, clock: Clock) {
  storage.commit([principals.create({ ...user, active: true }, 0), oauthClients.create(oauthClient, 0)]);
  let started = 0;

  return {
    start(terms: StartTerms = {}): Required<StartedDeviceAuthorization> {
      requireOptions("startDevice", terms, { intervalSeconds: ofType("number"), expiresInSeconds: ofType("number") });
      const { intervalSeconds = 5, expiresInSeconds = 600 } = terms;
      started += 1;
      const deviceCode = `${codePrefix}${started}`;
      // The codes are not secrets, so that each is its own hash, and the user code is the device code.
      const codes = { deviceCodeHash: deviceCode, userCodeHash: deviceCode };
      const { outcome } = storage.apply(
        documents,
        startDeviceAuthorization({ ...codes, ...agent, requestedScopes: scopes, popKeyId: "" }, caller, clock.now()),
      );
      if (!outcome.ok) throw new Error(outcome.reason);
      const expiresAt = outcome.authorization.createdAt + expiresInSeconds * 1000;
      const authorization = { ...outcome.authorization, intervalSeconds, expiresAt };
      storage.commit([deviceAuthorizations.put(storage, authorization, clock.now())]);
      return { deviceCode, intervalSeconds, expiresInSeconds };
    },
    /** Answers an authorization, again without effect. @throws RangeError if it is unknown, expired or answered differently. */
    answer(deviceCode = `${codePrefix}${started}`, answer: "approved" | "denied"): void {
      const found = storage.apply(documents, getDeviceAuthorization(deviceCode, user, clock.now())).outcome;
      if (!found.ok) {
        throw new RangeError("No device authorization has this device code. Start one with startDevice().");
      }
      const { status } = found;
      if (status === answer || (status === "consumed" && answer === "approved")) return;
      const rule = answerDeviceAuthorization(
        deviceCode,
        user,
        answer === "denied" ? "deny" : { approve: scopes },
        caller,
        clock.now(),
      );
      if (storage.apply(documents, rule).outcome.ok) return;
      throw new RangeError(`This device authorization is already ${status}. Start another with startDevice().`);
    },
    exchange(
      deviceCode: string,
      key: string | undefined,
      requestId: string,
    ): ExchangeMcpOauthDeviceAuthorizationResponse {
      const number = deviceCode.slice(codePrefix.length);
      const ids = {
        grantId: number,
        accessTokenId: `fake-access-token-id-${number}`,
        brokerTokenId: `fake-token-id-${number}`,
      };
      const input = { ...ids, deviceCodeHash: deviceCode, idempotencyKeyHash: key, keyId: "", requiredScopes };
      const { outcome } = storage.apply(documents, exchangeDeviceCode(input, caller, clock.now()));
      if (!outcome.ok) throw refuse(outcome.reason, { requestId });
      if (outcome.status !== "approved") return exchangeResponse(outcome);
      const accessToken = `fake-access-token-${number}`;
      return exchangeResponse({ ...outcome, accessToken, brokerToken: `fake-broker-token-${number}` });
    },
  };
}
