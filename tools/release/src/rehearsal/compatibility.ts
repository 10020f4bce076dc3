import { join } from "node:path";
import { root } from "../workspace.ts";
import { type Consumer, client, newest } from "./consumers.ts";
import { type PlatformApp, serveApp } from "./platform-app.ts";
import { buildRevision } from "./previous-release.ts";
import { packAll, publishAll } from "./publish.ts";

/** A consumer project and the app that it calls. */
export interface Trial {
  readonly consumer: Consumer;
  readonly app: PlatformApp;
  /** The workspace whose `tools/release/consumers` contains its files. */
  readonly workspace: string;
}

/** The trials that combine an earlier release with the current packages. */
export interface Compatibility {
  readonly previousApp: PlatformApp;
  readonly trials: readonly Trial[];
}

/** Builds an earlier release, publishes it under the tag `previous`, and pairs each release's client with the other's server. */
export async function prepareCompatibility(
  revision: string,
  today: PlatformApp,
  registry: string,
  folder: string,
): Promise<Compatibility> {
  const previous = await buildRevision(root, revision, join(folder, "previous"));
  await publishAll(await packAll(previous, registry), registry, "previous");
  const previousApp = serveApp(previous.folder, join(folder, "previous-data"));
  const project = {
    ...client,
    manager: "npm",
    installs: newest,
    typescript: "6.0.3",
    libraries: "checked",
    resolution: "nodenext",
    runs: "node",
  } as const;
  const previousClient: Consumer = { ...project, name: `client of ${revision}, today's server`, tag: "previous" };
  const todaysClient: Consumer = { ...project, name: `today's client, server of ${revision}` };
  return {
    previousApp,
    trials: [
      { consumer: previousClient, app: today, workspace: previous.folder },
      { consumer: todaysClient, app: previousApp, workspace: root },
    ],
  };
}
