import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { clearTimeout, setTimeout } from "node:timers";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@platform-rpc/testbed/network";
import { startProgram } from "@platform-rpc/testbed/processes";
import { mustRun } from "../run.ts";
import { publishedPackages, root, scopeOf } from "../workspace.ts";

/** A local npm registry. It starts empty, and proxies all packages except ours from the machine's registry. */
export interface Registry {
  readonly url: string;
  packageOf(name: string): Promise<PublishedPackage>;
  stop(): Promise<void>;
}

export interface PublishedPackage {
  /** Such as "latest", with their versions. */
  readonly "dist-tags": Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, { readonly deprecated?: string }>>;
}

export async function startRegistry(folder: string): Promise<Registry> {
  mkdirSync(folder, { recursive: true });
  const uplink = await mustRun("npm", ["config", "get", "registry", "--silent"], { cwd: folder });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const config = join(folder, "config.yaml");
  writeFileSync(config, JSON.stringify(configOf(folder, uplink.split("\n").at(-1)?.trim() ?? "")));

  const require = createRequire(import.meta.url);
  const program = join(dirname(require.resolve("verdaccio/package.json")), "bin/verdaccio");
  const child = startProgram([process.execPath, program, "--config", config, "--listen", `127.0.0.1:${port}`], {
    cwd: folder,
    log: join(folder, "registry.log"),
  });
  const stop = async () => {
    const late = setTimeout(() => child.signal("SIGKILL"), 5_000);
    await child.stop();
    clearTimeout(late);
  };
  while (!(await answers(`${url}/-/ping`))) {
    if (!child.running) throw new Error("The registry ended before it was ready.");
    await sleep(100);
  }
  return {
    url,
    async packageOf(name) {
      const found: PublishedPackage = JSON.parse(await (await fetch(`${url}/${encodeURIComponent(name)}`)).text());
      return found;
    },
    stop,
  };
}

/** Returns the configuration. Any local process may publish; our packages are never proxied. */
function configOf(folder: string, uplink: string) {
  const open = { access: "$all", publish: "$all", unpublish: "$all" };
  return {
    storage: join(folder, "storage"),
    uplinks: { machine: { url: uplink, maxage: "60m", timeout: "60s", max_fails: 100 } },
    packages: { [`${scopeOf(publishedPackages(root))}/*`]: open, "**": { access: "$all", proxy: "machine" } },
    auth: { htpasswd: { file: join(folder, "htpasswd"), max_users: -1 } },
    middlewares: {},
    web: { enable: false },
    log: { type: "stdout", format: "json", level: "fatal" },
  };
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}
