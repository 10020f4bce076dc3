import { newKinds } from "@platform-rpc/items/kinds";
import type { ComponentType } from "react";
import { type AroundNavHandler, Route, Router, Switch } from "wouter";
import { useQuery } from "./elements/link.js";
import { lazyPart } from "./elements/part-boundary.js";
import { ItemsPage, type ItemsPageProps } from "./list/items-page.js";
import { NeedsNetwork } from "./shell/connection.js";
import { Frame, NotFound } from "./shell/frame.js";

// No part of the first load: only the list and an item are.
const PasswordsPage = lazyPart(async () => (await import("./strength/passwords-page.js")).PasswordsPage);
const ActivityPage = fromServer(async () => (await import("./activity/activity-page.js")).ActivityPage);
const AgentsPage = fromServer(async () => (await import("./agents/agents-page.js")).AgentsPage);
const SecurityPage = fromServer(async () => (await import("./security/security-page.js")).SecurityPage);
const ImportPage = fromServer(async () => (await import("./importing/import-page.js")).ImportPage);
const PersonPage = fromServer(async () => (await import("./person/person-page.js")).PersonPage);
const ExportPage = fromServer(async () => (await import("./export/export-page.js")).ExportPage);
const UnlockPage = fromServer(async () => (await import("./unlocking/unlock-page.js")).UnlockPage);

function fromServer<Props extends object>(importPage: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const Page = lazyPart(importPage);
  return (props) => (
    <NeedsNetwork>
      <Page {...props} />
    </NeedsNetwork>
  );
}

// What is open next to the list is in the address, so that the Back of the browser closes it.
function Items(props: Pick<ItemsPageProps, "vaultId" | "deleted" | "favourites">) {
  const search = useQuery();
  const kind = search.get("new");
  if (kind !== null && newKinds.includes(kind)) return <ItemsPage {...props} new={kind} />;
  const edit = search.get("edit") === "true" || undefined;
  return <ItemsPage {...props} item={search.get("item") ?? undefined} edit={edit} />;
}

/** Shows another page from its start, or what the address names of one that is there already. */
const follow: AroundNavHandler = (navigate, to, options) => {
  const before = location.pathname;
  navigate(to, options);
  if (location.hash !== "") document.getElementById(location.hash.slice(1))?.scrollIntoView();
  else if (location.pathname !== before) scrollTo(0, 0);
};

export function Pages() {
  return (
    <Router base="/console" aroundNav={follow}>
      <Frame>
        <Switch>
          {/* Each list has its own search and selection. */}
          <Route path="/">
            <Items key="all" />
          </Route>
          <Route path="/favourites">
            <Items key="favourites" favourites />
          </Route>
          <Route path="/deleted">
            <Items key="deleted" deleted />
          </Route>
          <Route path="/vaults/:vaultId">{({ vaultId }) => <Items key={vaultId} vaultId={vaultId} />}</Route>
          <Route path="/agents" component={AgentsPage} />
          <Route path="/activity" component={ActivityPage} />
          <Route path="/security" component={SecurityPage} />
          <Route path="/import" component={ImportPage} />
          <Route path="/person" component={PersonPage} />
          <Route path="/export" component={ExportPage} />
          <Route path="/passwords" component={PasswordsPage} />
          <Route path="/unlock/:id" component={UnlockPage} />
          <Route component={NotFound} />
        </Switch>
      </Frame>
    </Router>
  );
}
