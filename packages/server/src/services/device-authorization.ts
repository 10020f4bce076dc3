import {
  type AnswerDeviceAuthorizationOutcome,
  type Approver,
  answerDeviceAuthorization,
  type DeviceAuthorizationAnswer,
  type GetDeviceAuthorizationOutcome,
  getDeviceAuthorization,
} from "../domain/answer-device-authorization.js";
import { oauthClients, principals } from "../domain/model/access.js";
import type { Bounds } from "../domain/model/bounds.js";
import type { Write } from "../domain/model/decision.js";
import type { DeviceAuthorization } from "../domain/model/device-authorization.js";
import { codeLifeSeconds, formatUserCode, normalizeUserCode, userCodes } from "../domain/model/device-authorization.js";
import { startDeviceAuthorization } from "../domain/start-device-authorization.js";
import type { Clock } from "../ports/clock.js";
import type { Secrets } from "../ports/secrets.js";
import { refOf, type Storage } from "../ports/storage.js";
import type { ProofKeys } from "../ports/tokens.js";
import type { Call } from "./call.js";

/** The request for a device authorization. */
export interface StartDeviceAuthorizationInput {
  readonly tenantId: string;
  readonly oauthClientId: string;
  /** The scopes that the person is asked to approve. */
  readonly scopes: readonly string[];
  /** What the software limits itself to. Default: nothing. */
  readonly bounds?: Bounds | undefined;
  /** The public proof-of-possession key as JWK text; empty without such a key. */
  readonly popPublicJwk: string;
  /** The RFC 7638 thumbprint of the proof-of-possession key, instead of the key. Default: that of `popPublicJwk`. */
  readonly popKeyId?: string | undefined;
  /** Where it was started, in words for the person, such as `203.0.113.7`. The list of their software shows it. Default: unknown. */
  readonly device?: string | undefined;
  /** Returns a record that is created in the same commit, such as one with the address that started it. Default: none. */
  readonly alsoCreated?: (
    authorization: Pick<DeviceAuthorization, "deviceCodeHash" | "createdAt" | "expiresAt">,
  ) => Extract<Write, { readonly kind: "record" }>;
}

/** The codes, which cannot be read again later, or why the authorization was not started. */
export type StartDeviceAuthorizationResult =
  | {
      readonly ok: true;
      readonly deviceCode: string;
      /** Formatted for display: XXXX-XXXX. */
      readonly userCode: string;
      readonly expiresInSeconds: number;
      readonly intervalSeconds: number;
      readonly authorization: DeviceAuthorization;
    }
  | { readonly ok: false; readonly reason: "OAUTH_CLIENT_NOT_FOUND" | "POP_KEY_INVALID" };

/** There are 25.6 billion user codes, so this many collisions in a row mean that the random source is broken. */
const mostDraws = 10;

/** A user code and the signed-in user who entered it. */
export interface UserCodeInput extends Approver {
  /** The user code as the user typed it. */
  readonly userCode: string;
}

/** The operations on device authorizations. */
export interface DeviceAuthorizationOperations {
  /** Starts a device authorization (RFC 8628 section 3.1). Only its result contains the codes. */
  startDeviceAuthorization(input: StartDeviceAuthorizationInput, call: Call): Promise<StartDeviceAuthorizationResult>;

  /** Reads a device authorization, for the user who is asked to approve it. */
  getDeviceAuthorization(input: UserCodeInput, call: Call): Promise<GetDeviceAuthorizationOutcome>;

  /** Approves or denies a device authorization (RFC 8628 section 3.3). */
  answerDeviceAuthorization(
    input: UserCodeInput,
    answer: DeviceAuthorizationAnswer,
    call: Call,
  ): Promise<AnswerDeviceAuthorizationOutcome>;
}

/** Creates the operations on device authorizations, besides the exchange of their codes. */
export function createDeviceAuthorizationOperations(deps: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly proofKeys: ProofKeys;
}): DeviceAuthorizationOperations {
  const { storage, clock, secrets, proofKeys } = deps;

  /** Returns the approver without the code, the hash of the code, and where both are stored. */
  const read = ({ tenantId, principalId, userCode }: UserCodeInput) => {
    const userCodeHash = secrets.hashUserCode(normalizeUserCode(userCode));
    const ref = refOf(userCodes.key(tenantId, userCodeHash), principals.key(tenantId, principalId));
    return { approver: { tenantId, principalId }, userCodeHash, ref };
  };

  return {
    async startDeviceAuthorization(input, { actor, wanted }) {
      const {
        tenantId,
        oauthClientId,
        scopes,
        bounds,
        popPublicJwk,
        popKeyId: named = "",
        device,
        alsoCreated,
      } = input;
      const popKeyId = popPublicJwk === "" ? named : await proofKeys.thumbprint(popPublicJwk);
      if (popKeyId === undefined || !/^(?:[\w-]{43})?$/.test(popKeyId) || (named !== "" && named !== popKeyId))
        return { ok: false, reason: "POP_KEY_INVALID" };
      const deviceCode = secrets.newDeviceCode();
      const deviceCodeHash = secrets.hashDeviceCode(deviceCode);
      for (let draw = 1; ; draw += 1) {
        const letters = secrets.newUserCode();
        const userCodeHash = secrets.hashUserCode(letters);
        const createdAt = clock.now();
        const also = alsoCreated?.({ deviceCodeHash, createdAt, expiresAt: createdAt + codeLifeSeconds * 1000 });
        const { outcome } = await storage.transact(
          refOf(userCodes.key(tenantId, userCodeHash), oauthClients.key(tenantId, oauthClientId)),
          startDeviceAuthorization(
            {
              deviceCodeHash,
              userCodeHash,
              tenantId,
              oauthClientId,
              requestedScopes: scopes,
              requestedBounds: bounds,
              popKeyId,
              device,
            },
            actor,
            createdAt,
            also === undefined ? [] : [also],
          ),
          { wanted },
        );
        if (outcome.ok) {
          return {
            ok: true,
            deviceCode,
            userCode: formatUserCode(letters),
            expiresInSeconds: codeLifeSeconds,
            intervalSeconds: outcome.authorization.intervalSeconds,
            authorization: outcome.authorization,
          };
        }
        if (outcome.reason !== "USER_CODE_TAKEN") return { ok: false, reason: outcome.reason };
        if (draw === mostDraws)
          throw new Error(`all ${mostDraws} generated user codes are in use. Check the random source of the server`);
      }
    },

    async getDeviceAuthorization(input, { wanted }) {
      const { approver, userCodeHash, ref } = read(input);
      const rule = getDeviceAuthorization(userCodeHash, approver, clock.now());
      return (await storage.transact(ref, rule, { wanted })).outcome;
    },

    async answerDeviceAuthorization(input, answer, { actor, wanted }) {
      const { approver, userCodeHash, ref } = read(input);
      const rule = answerDeviceAuthorization(userCodeHash, approver, answer, actor, clock.now());
      return (await storage.transact(ref, rule, { wanted })).outcome;
    },
  };
}
