import type { createCallersPrelude } from "./caller.ts";
import type { createHostsPrelude } from "./host.ts";

type Callers = Awaited<ReturnType<typeof createCallersPrelude>>;
type Hosts = Awaited<ReturnType<typeof createHostsPrelude>>;

/** The names that an example uses without importing or declaring them. Readers use their own values instead. */
declare global {
  const baseUrl: Callers["baseUrl"];
  const token: Callers["token"];
  const client: Callers["client"];
  const signal: Callers["signal"];
  const vaultId: Callers["vaultId"];
  const itemId: Callers["itemId"];
  const deviceCode: Callers["deviceCode"];
  const accessToken: Callers["accessToken"];
  const place: Callers["place"];
  const item: Callers["item"];
  const wrappedKeys: Callers["wrappedKeys"];
  const itemKey: Callers["itemKey"];
  const writerKeys: Callers["writerKeys"];
  const publicKey: Callers["publicKey"];
  const privateKey: Callers["privateKey"];

  const clock: Hosts["clock"];
  const storage: Hosts["storage"];
  const keyRing: Hosts["keyRing"];
  const brokerToken: Hosts["brokerToken"];
  const platform: Hosts["platform"];
  const call: Hosts["call"];
  const logger: Hosts["logger"];
  const databaseUrl: Hosts["databaseUrl"];
}
