import { startApp } from "@platform-rpc/testbed/app";
import { createTemporaryFolder } from "@platform-rpc/testbed/files";

/** The platform, which serves the site. Disposing of it stops the platform. */
export interface ServedSite extends AsyncDisposable {
  /** The URL of the first page, with a slash at its end. */
  readonly url: string;
}

/** Starts the built platform without demo data. Default: a free port. */
export async function serveSite(port = 0): Promise<ServedSite> {
  const folder = createTemporaryFolder("site");
  const app = await startApp({ DATA_DIR: folder.path, DEMO: "off", LOG_LEVEL: "warn", PORT: String(port) });
  return {
    url: `${app.publicUrl}/docs/`,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      folder.remove();
    },
  };
}
