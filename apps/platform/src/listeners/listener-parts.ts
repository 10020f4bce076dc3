import type { Message } from "@bufbuild/protobuf";
import type { ListenerOptions, Logger, Platform } from "@platform-rpc/server";
import type { SteadyClock, Tracing } from "@platform-rpc/server/host";
import type { Metrics } from "../metrics/metrics.js";
import type { Health } from "../platform/health.js";
import type { AppStorage } from "../platform/open-storage.js";
import type { ConnectionNumbers } from "../process/open-files.js";
import type { Settings } from "../settings/settings.js";
import type { Addresses } from "./addresses.js";

/** What every listener of the app gets. */
export interface ListenerParts extends Pick<ListenerOptions, "unread"> {
  readonly settings: Settings;
  readonly addresses: Addresses;
  readonly storage: AppStorage;
  readonly platform: Platform;
  readonly clock: SteadyClock;
  readonly logger: Logger;
  readonly tracing: Tracing | undefined;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly connections: ConnectionNumbers;
  /** Awaited before the response of each call is sent. Undefined: nothing is. */
  readonly afterCall: ((request: Message) => Promise<void>) | undefined;
}
