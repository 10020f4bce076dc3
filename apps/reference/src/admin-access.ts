import { readFile } from "node:fs/promises";
import type { Clock, Platform, Secrets } from "@platform-rpc/server";
import { z } from "zod";
import { ownCall, platformTenant } from "./own-call.js";
import { replacePrivateFile } from "./private-file.js";
import { privateOperations } from "./rpc/private-routes.js";

const adminName = "platform-admin";
const lifeSeconds = 60 * 60;
const halfLifeMs = (lifeSeconds * 1000) / 2;
/** How long a token that was replaced still works, in milliseconds. */
const grace = 55_000;

/** The one way to the private operations: a token in a file that the owner of the process alone can read. */
export interface AdminAccess {
  /**
   * Writes a new token when there is none of this start yet, or when half of the last one's life is over. Sets up the
   * administrator first, and revokes the token of the run before.
   */
  renew(): Promise<void>;
  /** Revokes the token that `renew` has replaced, 55 s later. For every 5 seconds, so that it works for a minute at most. */
  revokeReplaced(): Promise<void>;
  /** Revokes the token that `renew` has replaced, if it still works. */
  stop(): Promise<void>;
}

/** The platform's administrator: a principal and an OAuth client that may call every private operation and no public one. */
export function createAdminAccess(deps: {
  readonly operations: Platform["own"];
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly tokenFile: string;
}): AdminAccess {
  const { operations, secrets, clock, tokenFile } = deps;
  const call = () => ownCall("admin-access", secrets);
  const scopes = [...new Set([...privateOperations.values()].flatMap(({ requiredScopes }) => requiredScopes))];
  let renewAt = Number.NEGATIVE_INFINITY;
  let ready = false;
  /** The token of this run that is in the file. */
  let current: string | undefined;
  let replaced: { readonly tokenId: string; readonly revokeAt: number } | undefined;

  const setUp = async (): Promise<void> => {
    await operations.setPrincipal({ tenantId: platformTenant, principalId: adminName, active: true }, call());
    await operations.setOauthClient(
      {
        tenantId: platformTenant,
        oauthClientId: adminName,
        name: "Platform administrator",
        allowedOperations: [...privateOperations.keys()],
        enabled: true,
      },
      call(),
    );
    const before = await readTokenId(tokenFile);
    if (before !== undefined) await operations.revokeToken(before, call());
    ready = true;
  };

  const stop = async (): Promise<void> => {
    if (replaced === undefined) return;
    await operations.revokeToken(replaced.tokenId, call());
    replaced = undefined;
  };

  return {
    async renew() {
      const leftMs = renewAt - clock.now();
      // More than half a life is left only when the clock was set back: the token is then refused as one of the future.
      if (leftMs > 0 && leftMs <= halfLifeMs) return;
      if (!ready) await setUp();
      const subject = { tenantId: platformTenant, principalId: adminName, oauthClientId: adminName };
      const issued = await operations.issueAccessToken({ ...subject, scopes, lifeSeconds }, call());
      await replacePrivateFile(tokenFile, issued.accessToken);
      if (current !== undefined) replaced = { tokenId: current, revokeAt: clock.now() + grace };
      current = issued.tokenId;
      renewAt = issued.expiresAt - halfLifeMs;
    },
    async revokeReplaced() {
      if (replaced !== undefined && clock.now() >= replaced.revokeAt) await stop();
    },
    stop,
  };
}

const claims = z.object({ jti: z.string().min(1).max(128) });

/** The id of the token in a file, which is this app's own: its signature is not checked. Undefined when there is none. */
async function readTokenId(file: string): Promise<string | undefined> {
  try {
    const [, payload = ""] = (await readFile(file, "utf8")).split(".");
    return claims.parse(JSON.parse(Buffer.from(payload, "base64url").toString("utf8"))).jti;
  } catch {
    return undefined;
  }
}
