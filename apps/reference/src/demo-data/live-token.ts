import { type Clock, longestTokenLife, type Platform, type Secrets } from "@platform-rpc/server";
import { ownCall } from "../own-call.js";
import { replacePrivateFile } from "../private-file.js";
import { demoOauthClient, demoTenant, demoUser } from "./demo-names.js";
import { demoScopes } from "./live-authorization.js";

const halfLifeMs = (longestTokenLife * 1000) / 2;

/** Maintains a file with an access token of the demo user. Replaces the token after half of its lifetime. */
export function createLiveToken(deps: {
  readonly operations: Platform["own"];
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly file: string;
}) {
  const { operations, secrets, clock, file } = deps;
  let replaceAt = Number.NEGATIVE_INFINITY;
  return {
    async refresh(): Promise<void> {
      const leftMs = replaceAt - clock.now();
      // More than half a lifetime is left only if the clock was set back. Such a token is rejected, as issued in the future.
      if (leftMs > 0 && leftMs <= halfLifeMs) return;
      const subject = { tenantId: demoTenant, principalId: demoUser, oauthClientId: demoOauthClient };
      const { accessToken, expiresAt } = await operations.issueAccessToken(
        { ...subject, scopes: demoScopes, lifeSeconds: longestTokenLife },
        ownCall("demo", secrets),
      );
      await replacePrivateFile(file, accessToken);
      replaceAt = expiresAt - halfLifeMs;
    },
  };
}
