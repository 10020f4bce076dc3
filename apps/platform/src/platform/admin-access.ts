import { readFile } from "node:fs/promises";
import { ownCall, platformTenant } from "@platform-rpc/accounts/http/own-call";
import { replacePrivateFile } from "@platform-rpc/files";
import type { Clock, Platform } from "@platform-rpc/server";
import type { Secrets } from "@platform-rpc/server/host";
import * as z from "zod";
import { privateOperations } from "../rpc/private-routes.js";

const adminName = "platform-admin";
const lifeSeconds = 60 * 60;
const halfLifeMs = (lifeSeconds * 1000) / 2;
/** How long a replaced token stays valid, in milliseconds. */
const grace = 55_000;

/** Maintains the token for the private operations, in a file that only the user of the process can read. */
export interface AdminAccess {
  /**
   * Writes a new token on the first call, and whenever the current one has passed half of its lifetime. The first call also
   * sets up the administrator and revokes the token of the previous run.
   */
  renew(): Promise<void>;
  /** Revokes a replaced token after 55 s. Call it every 5 s, so that a replaced token is valid for a minute at most. */
  revokeReplaced(): Promise<void>;
  /** Revokes a replaced token at once, if there is one. */
  stop(): Promise<void>;
}

/** Creates the admin access. Its principal and OAuth client may call every private operation and no public one. */
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
  /** The id of the token that this run has written to the file. */
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
      // More than half a lifetime is left only if the clock was set back. Such a token is rejected, as issued in the future.
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

/** Returns the id of the token in a file; undefined if there is none. The signature is not checked: the app wrote the file. */
async function readTokenId(file: string): Promise<string | undefined> {
  try {
    const [, payload = ""] = (await readFile(file, "utf8")).split(".");
    return claims.parse(JSON.parse(Buffer.from(payload, "base64url").toString("utf8"))).jti;
  } catch {
    return undefined;
  }
}
