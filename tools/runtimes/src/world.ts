import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { serveApprovals, servePages } from "./pages.ts";
import type { Plot, Scene, Vectors } from "./program/plot.ts";
import { startRedirectingServer } from "./redirecting-server.ts";
import { type ReferenceApp, startReferenceApp } from "./reference-app.ts";
import { createTenant, type Tenant } from "./tenant.ts";

const client = dirname(createRequire(import.meta.url).resolve("@platform-rpc/client/package.json"));
export const vectors: Vectors = JSON.parse(readFileSync(join(client, "dist/crypto-test-vectors.json"), "utf8"));

/** Everything that a program meets, on sockets of this machine. */
export interface World {
  readonly app: ReferenceApp;
  readonly tenant: Tenant;
  /** Of the pages. */
  readonly origin: string;
  /** Where a redirection would have led. */
  readonly arrivedElsewhere: readonly string[];
  newPlot(): Promise<Plot>;
  end(): Promise<void>;
}

/** Starts it, with pages that load a script. */
export async function startWorld(script: string): Promise<World> {
  const pages = await servePages(script);
  const redirecting = await startRedirectingServer();
  const app = await startReferenceApp([pages.origin]);
  const tenant = await createTenant(app);
  const approvals = await serveApprovals(tenant);

  async function newScene(): Promise<Scene> {
    // A user of its own: the platform lets nobody answer many authorizations at once.
    const principalId = randomUUID();
    const token = await tenant.newToken(principalId);
    const [approved, pending] = await Promise.all([tenant.startAuthorization(), tenant.startAuthorization()]);
    await tenant.approve(principalId, approved.userCode);
    return {
      baseUrl: app.publicUrl,
      token,
      item: await tenant.newItem(principalId),
      otherItem: await tenant.newItem(principalId),
      approvedCode: approved.deviceCode,
      deviceCode: pending.deviceCode,
      approvalUrl: `${approvals.origin}/${principalId}/${pending.userCode}`,
      redirectingUrl: redirecting.url,
    };
  }

  return {
    ...{ app, tenant, origin: pages.origin, arrivedElsewhere: redirecting.arrived },
    async newPlot() {
      const [connect, json] = await Promise.all([newScene(), newScene()]);
      return { scenes: { "@platform-rpc/client": connect, "@platform-rpc/client/json": json }, vectors };
    },
    async end() {
      await Promise.all([pages.close(), approvals.close(), redirecting.close(), app.stop()]);
    },
  };
}
