import { newKinds } from "@platform-rpc/items/kinds";
import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { lazyPart } from "./elements/part-boundary.js";
import { ItemsPage } from "./list/items-page.js";
import { Frame, NotFound } from "./shell/frame.js";

// No part of the first load: only the list and an item are.
const ActivityPage = lazyPart(async () => (await import("./activity/activity-page.js")).ActivityPage);
const AgentsPage = lazyPart(async () => (await import("./agents/agents-page.js")).AgentsPage);
const SecurityPage = lazyPart(async () => (await import("./security/security-page.js")).SecurityPage);
const ImportPage = lazyPart(async () => (await import("./importing/import-page.js")).ImportPage);
const PersonPage = lazyPart(async () => (await import("./person/person-page.js")).PersonPage);
const ExportPage = lazyPart(async () => (await import("./export/export-page.js")).ExportPage);
const PasswordsPage = lazyPart(async () => (await import("./strength/passwords-page.js")).PasswordsPage);
const UnlockPage = lazyPart(async () => (await import("./unlocking/unlock-page.js")).UnlockPage);

/** What is open next to the list is in the address, so that the Back of the browser closes it. */
interface OpenSearch {
  /** The key of an item. */
  readonly item?: string | undefined;
  /** Whether the item is edited. */
  readonly edit?: true | undefined;
  /** The kind of a new item that is written. */
  readonly new?: string | undefined;
}

/** Returns all members: one that is left out would keep the value that is in the address. */
function openItem({ item, edit, new: kind }: Record<string, unknown>): OpenSearch {
  if (typeof kind === "string" && newKinds.includes(kind)) return { new: kind, item: undefined, edit: undefined };
  if (typeof item !== "string") return { new: undefined, item: undefined, edit: undefined };
  return { new: undefined, item, edit: edit === true ? edit : undefined };
}

const rootRoute = createRootRoute({ component: Frame, notFoundComponent: NotFound });
const allRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  component: () => <ItemsPage {...allRoute.useSearch()} />,
  validateSearch: openItem,
});
const deletedRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/deleted",
  component: () => <ItemsPage deleted {...deletedRoute.useSearch()} />,
  validateSearch: openItem,
});
const vaultRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/vaults/$vaultId",
  component: Vault,
  validateSearch: openItem,
});
const agentsRoute = createRoute({ getParentRoute: () => rootRoute, path: "/agents", component: AgentsPage });
const activityRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/activity",
  component: ActivityPage,
  /** `software`: the id of an OAuth client, whose acts alone are listed. */
  validateSearch: ({ software }: Record<string, unknown>): { readonly software?: string | undefined } => ({
    software: typeof software === "string" ? software : undefined,
  }),
});
const securityRoute = createRoute({ getParentRoute: () => rootRoute, path: "/security", component: SecurityPage });
const importRoute = createRoute({ getParentRoute: () => rootRoute, path: "/import", component: ImportPage });
const personRoute = createRoute({ getParentRoute: () => rootRoute, path: "/person", component: PersonPage });
const exportRoute = createRoute({ getParentRoute: () => rootRoute, path: "/export", component: ExportPage });
const passwordsRoute = createRoute({ getParentRoute: () => rootRoute, path: "/passwords", component: PasswordsPage });
const unlockRoute = createRoute({ getParentRoute: () => rootRoute, path: "/unlock/$id", component: UnlockPage });

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    allRoute,
    deletedRoute,
    vaultRoute,
    agentsRoute,
    activityRoute,
    securityRoute,
    importRoute,
    personRoute,
    exportRoute,
    passwordsRoute,
    unlockRoute,
  ]),
  basepath: "/console",
});

declare module "@tanstack/react-router" {
  interface Register {
    readonly router: typeof router;
  }
}

function Vault() {
  const { vaultId } = vaultRoute.useParams();
  // Another vault has another search and selection.
  return <ItemsPage key={vaultId} vaultId={vaultId} {...vaultRoute.useSearch()} />;
}
