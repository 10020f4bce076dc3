import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { serveApprovals, servePages } from "./pages.ts";
import type { Fixture, ProgramInput, Vectors } from "./program/program-input.ts";
import { startRedirectingServer } from "./redirecting-server.ts";
import { type ReferenceApp, startReferenceApp } from "./reference-app.ts";
import { createTenant, type Tenant } from "./tenant.ts";

const client = dirname(createRequire(import.meta.url).resolve("@platform-rpc/client/package.json"));
export const vectors: Vectors = JSON.parse(readFileSync(join(client, "dist/crypto-test-vectors.json"), "utf8"));

/** The servers that the program calls, on this machine. */
export interface Environment {
  readonly app: ReferenceApp;
  readonly tenant: Tenant;
  /** The origin of the pages. */
  readonly origin: string;
  /** The requests that followed a redirect. */
  readonly arrivedElsewhere: readonly string[];
  newInput(): Promise<ProgramInput>;
  end(): Promise<void>;
}

/** Starts the servers, with pages that load a script. */
export async function startEnvironment(script: string): Promise<Environment> {
  const pages = await servePages(script);
  const redirecting = await startRedirectingServer();
  const app = await startReferenceApp([pages.origin]);
  const tenant = await createTenant(app);
  const approvals = await serveApprovals(tenant);

  async function newFixture(): Promise<Fixture> {
    // A new user, because the platform limits how often one user may approve.
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
    app,
    tenant,
    origin: pages.origin,
    arrivedElsewhere: redirecting.arrived,
    async newInput() {
      const [connect, json] = await Promise.all([newFixture(), newFixture()]);
      return { fixtures: { "@platform-rpc/client": connect, "@platform-rpc/client/json": json }, vectors };
    },
    async end() {
      await Promise.all([pages.close(), approvals.close(), redirecting.close(), app.stop()]);
    },
  };
}
