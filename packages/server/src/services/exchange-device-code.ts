import { exchangeDeviceCode } from "../domain/exchange-device-code.js";
import { deviceAuthorizations, type ExchangeOutcome } from "../domain/model/device-authorization.js";
import { type Grant, keyOfGrantPlace } from "../domain/model/grant.js";
import type { Clock } from "../ports/clock.js";
import type { Secrets } from "../ports/secrets.js";
import { refOf, type Storage } from "../ports/storage.js";
import type { TokenIssuer } from "../ports/tokens.js";
import type { Call } from "./call.js";
import { newGrantIds } from "./grant-ids.js";

/** The device code to exchange. */
export interface ExchangeInput {
  readonly deviceCode: string;
  /** The Idempotency-Key header; undefined when the call has none. */
  readonly idempotencyKey: string | undefined;
}

/** The tokens of an approved authorization, the status of any other, or why the exchange failed. */
export type ExchangeResult =
  | {
      readonly ok: true;
      readonly status: "approved";
      readonly grant: Grant;
      readonly accessToken: string;
      readonly brokerToken: string;
    }
  | Exclude<ExchangeOutcome, { status: "approved" }>;

export interface ExchangeDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly issuer: TokenIssuer;
  /** The scopes that the contract requires for each operation. */
  readonly requiredScopes: ReadonlyMap<string, readonly string[]>;
}

/** The operations that exchange device codes. */
export interface ExchangeOperations {
  /** Creates IdentityGatewayService.ExchangeMcpOauthDeviceAuthorization. Signs the tokens from the grant after the commit. */
  exchangeDeviceCode(input: ExchangeInput, call: Call): Promise<ExchangeResult>;
}

export function createExchangeOperations(deps: ExchangeDeps): ExchangeOperations {
  const { storage, clock, secrets, issuer, requiredScopes } = deps;
  return {
    async exchangeDeviceCode({ deviceCode, idempotencyKey }, { actor, wanted }) {
      const deviceCodeHash = secrets.hashDeviceCode(deviceCode);
      const input = {
        deviceCodeHash,
        ...newGrantIds({ secrets, issuer, requiredScopes }),
        idempotencyKeyHash: idempotencyKey === undefined ? undefined : secrets.hashIdempotencyKey(idempotencyKey),
      };
      const { outcome } = await storage.transact(
        refOf(deviceAuthorizations.key(actor.tenantId, deviceCodeHash), keyOfGrantPlace(deviceCodeHash)),
        exchangeDeviceCode(input, actor, clock.now()),
        { wanted },
      );
      if (!outcome.ok || outcome.status !== "approved") return outcome;
      const [accessToken, brokerToken] = await Promise.all([
        issuer.signAccessToken(outcome.grant),
        issuer.signBrokerToken(outcome.grant),
      ]);
      return { ...outcome, accessToken, brokerToken };
    },
  };
}
