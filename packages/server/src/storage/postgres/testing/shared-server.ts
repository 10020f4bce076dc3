import { startPostgres } from "@platform-rpc/temporary-postgres";
import type { TestProject } from "vitest/node";

/** Starts the server that the tests of this project share. It does not flush: tests of durability start their own. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres({ settings: { fsync: "off", max_connections: 200 } });
  provide("postgresUrl", server.url);
  return server.stop;
}
