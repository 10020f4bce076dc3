import { type Clock, type Platform, publicOperations, type Secrets } from "@platform-rpc/server";
import { ownCall } from "../own-call.js";
import { demoOauthClient, demoTenant, demoUser } from "./demo-names.js";

/** A device authorization is replaced this many milliseconds before its codes expire. */
const margin = 120_000;

/** The codes of a device authorization. */
export interface Codes {
  readonly deviceCode: string;
  readonly userCode: string;
}

/** All scopes of the public operations. */
export const demoScopes = [...new Set([...publicOperations.values()].flatMap(({ requiredScopes }) => requiredScopes))];

/** Maintains a device authorization in a given state. Replaces it once it is decided, consumed or about to expire. */
export function createLiveAuthorization(deps: {
  readonly operations: Platform["own"];
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly state: "pending" | "approved";
  /** Called with the codes of each new device authorization. */
  readonly publish: (codes: Codes) => Promise<void>;
}) {
  const { operations, secrets, clock, state, publish } = deps;
  const subject = { tenantId: demoTenant, principalId: demoUser };
  let current: (Codes & { readonly replaceAt: number }) | undefined;

  async function isCurrent(): Promise<boolean> {
    if (current === undefined || clock.now() >= current.replaceAt) return false;
    const found = await operations.getDeviceAuthorization(
      { ...subject, userCode: current.userCode },
      ownCall("demo", secrets),
    );
    return found.ok && found.status === state;
  }

  return {
    /** Returns whether this is the current device code. */
    hasCode: (deviceCode: string): boolean => current?.deviceCode === deviceCode,

    async refresh(): Promise<void> {
      if (await isCurrent()) return;
      const call = ownCall("demo", secrets);
      const wanted = { tenantId: demoTenant, oauthClientId: demoOauthClient, scopes: demoScopes, popPublicJwk: "" };
      const started = await operations.startDeviceAuthorization(wanted, call);
      if (!started.ok) throw new Error(`starting the demo's device authorization failed: ${started.reason}`);
      const { deviceCode, userCode, authorization } = started;
      if (state === "approved") {
        const answer = { approve: demoScopes };
        const approved = await operations.answerDeviceAuthorization({ ...subject, userCode }, answer, call);
        if (!approved.ok) throw new Error(`approving the demo's device authorization failed: ${approved.reason}`);
      }
      await publish({ deviceCode, userCode });
      current = { deviceCode, userCode, replaceAt: authorization.expiresAt - margin };
    },
  };
}
