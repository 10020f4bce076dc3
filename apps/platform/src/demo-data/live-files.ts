import { readFile } from "node:fs/promises";
import { ownCall } from "@platform-rpc/accounts/http/own-call";
import { replacePrivateFile } from "@platform-rpc/files";
import type { Clock, Platform } from "@platform-rpc/server";
import { longestTokenLife, publicOperations, type Secrets } from "@platform-rpc/server/host";
import * as z from "zod";
import { demoTenant } from "../settings/settings.js";
import { demoOauthClient, demoUser, demoVault } from "./demo-files.js";
import type { DemoSealer } from "./demo-vault.js";

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
      await replacePrivateFile(file, accessToken, false);
      replaceAt = expiresAt - halfLifeMs;
    },
  };
}

/** A device authorization is replaced this many milliseconds before its codes expire. */
const margin = 120_000;

interface Codes {
  readonly deviceCode: string;
  readonly userCode: string;
}

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

const deleteItemBody = z.object({ vaultId: z.string(), itemId: z.string(), baseVersion: z.number() });

/** Maintains a file with a DeleteItem request that succeeds. Replaces the item and the request once the item is deleted. */
export function createThrowawayItem(deps: {
  readonly operations: Platform["own"];
  readonly secrets: Secrets;
  readonly seal: DemoSealer;
  /** The path of the file with the body of the request. */
  readonly file: string;
}) {
  const { operations, secrets, seal, file } = deps;
  const call = () => ownCall("demo", secrets);

  async function isLiveAsInFile(): Promise<boolean> {
    const body = await readBody(file);
    if (body === undefined) return false;
    const found = await operations.getItem({ access: "administrator", tenantId: demoTenant, ...body }, call());
    return found.ok && found.item.state === "live" && found.item.version === body.baseVersion;
  }

  return {
    async refresh(): Promise<void> {
      if (await isLiveAsInFile()) return;
      const itemId = secrets.newId();
      const ref = { access: "administrator", tenantId: demoTenant, vaultId: demoVault, itemId } as const;
      const notes = { name: "notes", type: "note", value: "This item exists to be deleted." } as const;
      const sealed = await seal(itemId, "secure_note", { title: "Delete me", fields: [notes] });
      const put = await operations.putItem({ ...ref, baseVersion: 0, ...sealed }, call());
      if (!put.ok) throw new Error(`writing the demo's item failed: ${put.reason}`);
      const { vaultId, version } = put.item;
      await replacePrivateFile(file, `${JSON.stringify({ vaultId, itemId, baseVersion: version })}\n`, false);
    },
  };
}

async function readBody(file: string): Promise<z.infer<typeof deleteItemBody> | undefined> {
  try {
    return deleteItemBody.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return undefined;
  }
}
