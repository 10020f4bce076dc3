import { createRootRoute, createRoute, createRouter, Link, Outlet, useLocation } from "@tanstack/react-router";
import { Suspense } from "react";
import { lazyPart, PartBoundary } from "./elements/part-boundary.js";
import { useConsole } from "./session/console-context.js";
import { VaultsPage } from "./vaults/vaults-page.js";

// No part of the first load: the page of a vault, with its table and cryptography, and the pages of the account.
const VaultPage = lazyPart(async () => (await import("./vaults/vault-page.js")).VaultPage);
const ActivityPage = lazyPart(async () => (await import("./activity/activity-page.js")).ActivityPage);
const ChartsPage = lazyPart(async () => (await import("./charts/charts-page.js")).ChartsPage);
const AgentsPage = lazyPart(async () => (await import("./agents/agents-page.js")).AgentsPage);
const SecurityPage = lazyPart(async () => (await import("./security/security-page.js")).SecurityPage);
const PersonPage = lazyPart(async () => (await import("./person/person-page.js")).PersonPage);

const rootRoute = createRootRoute({ component: Frame, notFoundComponent: NotFound });
const vaultsRoute = createRoute({ getParentRoute: () => rootRoute, path: "/", component: VaultsPage });
const vaultRoute = createRoute({ getParentRoute: () => rootRoute, path: "/vaults/$vaultId", component: Vault });
const securityRoute = createRoute({ getParentRoute: () => rootRoute, path: "/security", component: SecurityPage });
const personRoute = createRoute({ getParentRoute: () => rootRoute, path: "/person", component: PersonPage });
const agentsRoute = createRoute({ getParentRoute: () => rootRoute, path: "/agents", component: AgentsPage });
const activityRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/activity",
  component: ActivityPage,
  /** `software`: the id of an OAuth client, whose acts alone are listed. */
  validateSearch: ({ software }: Record<string, unknown>): { readonly software?: string } =>
    typeof software === "string" ? { software } : {},
});
const chartsRoute = createRoute({ getParentRoute: () => rootRoute, path: "/charts", component: ChartsPage });

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    vaultsRoute,
    vaultRoute,
    agentsRoute,
    activityRoute,
    chartsRoute,
    securityRoute,
    personRoute,
  ]),
  basepath: "/console",
});

declare module "@tanstack/react-router" {
  interface Register {
    readonly router: typeof router;
  }
}

function Frame() {
  const { displayName, recoveryCodeMissing } = useConsole().session;
  const { pathname } = useLocation();
  return (
    <>
      <header>
        <Link className="brand" to="/">
          Console
        </Link>
        <nav>
          <Link to="/" activeOptions={{ exact: true }}>
            Vaults
          </Link>
          <Link to="/agents">Agents &amp; apps</Link>
          <Link to="/activity">Activity</Link>
          <Link to="/charts">Charts</Link>
          <Link to="/security">Security</Link>
        </nav>
        <Link to="/person">{displayName}</Link>
      </header>
      {recoveryCodeMissing && (
        <aside className="banner" aria-label="Reminder">
          You have not stored a recovery code. If you lose your passkey, you lose your items.{" "}
          <Link to="/security" hash="recovery">
            Store a recovery code
          </Link>
        </aside>
      )}
      <main>
        <PartBoundary key={pathname} heading="This page cannot be shown">
          <Suspense fallback={<p role="status">Loading…</p>}>
            <Outlet />
          </Suspense>
        </PartBoundary>
      </main>
    </>
  );
}

function Vault() {
  const { vaultId } = vaultRoute.useParams();
  // Another vault has another feed and other contents.
  return <VaultPage key={vaultId} vaultId={vaultId} />;
}

function NotFound() {
  return (
    <>
      <h1>Page not found</h1>
      <p>
        Check the address, or <Link to="/">see your vaults</Link>.
      </p>
    </>
  );
}
