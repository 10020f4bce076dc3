import { createRootRoute, createRoute, createRouter, Link, Outlet } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useConsole } from "./session/console-context.js";
import { VaultsPage } from "./vaults/vaults-page.js";

// The page of a vault, with its table and cryptography, is no part of the first load.
const VaultPage = lazy(async () => ({ default: (await import("./items/vault-page.js")).VaultPage }));

const rootRoute = createRootRoute({ component: Frame, notFoundComponent: NotFound });
const vaultsRoute = createRoute({ getParentRoute: () => rootRoute, path: "/", component: VaultsPage });
const vaultRoute = createRoute({ getParentRoute: () => rootRoute, path: "/vaults/$vaultId", component: Vault });

export const router = createRouter({
  routeTree: rootRoute.addChildren([vaultsRoute, vaultRoute]),
  basepath: "/console",
});

declare module "@tanstack/react-router" {
  interface Register {
    readonly router: typeof router;
  }
}

function Frame() {
  const { displayName } = useConsole().session;
  return (
    <>
      <header>
        <Link className="brand" to="/">
          Console
        </Link>
        <a href="/account">{displayName}</a>
      </header>
      <main>
        <Outlet />
      </main>
    </>
  );
}

function Vault() {
  const { vaultId } = vaultRoute.useParams();
  // Another vault has another feed and other contents.
  return (
    <Suspense fallback={<p role="status">Loading the vault…</p>}>
      <VaultPage key={vaultId} vaultId={vaultId} />
    </Suspense>
  );
}

function NotFound() {
  return (
    <>
      <h1>Page not found</h1>
      <p>
        There is no page at this address. <Link to="/">See your vaults</Link>.
      </p>
    </>
  );
}
