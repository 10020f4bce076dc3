import type { AccountsParts } from "@platform-rpc/accounts/http/environment";
import type { McpResource } from "@platform-rpc/accounts/oauth/oauth-parts";
import type { Logger, Platform } from "@platform-rpc/server";
import type { CallEnd } from "../metrics/call-figures.js";
import type { InProcessOptions } from "./in-process-transport.js";

export interface McpParts
  extends Pick<AccountsParts, "origin" | "own" | "rateLimiter" | "addressHeader" | "clock" | "apiUrl" | "readiness">,
    Pick<InProcessOptions, "routes"> {
  readonly platform: Pick<Platform, "keyRing">;
  readonly logger: Logger;
  /** The MCP server as a resource: its URL, and its tokens. */
  readonly resource: McpResource;
  /** The issuer of the tokens. */
  readonly authorizationServer: string;
  /** Records the requests without an operation, and the operations that tools call, for metrics. */
  readonly onRequestEnd: (end: CallEnd) => void;
  /** Signs the questions to people: the same for all processes of the platform. */
  readonly stateKey: Uint8Array;
}
