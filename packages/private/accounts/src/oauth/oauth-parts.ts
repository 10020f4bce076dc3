import type { Platform } from "@platform-rpc/server";
import type { PlatformResource } from "@platform-rpc/server/host";
import type { AccountsParts } from "../http/environment.js";
import type { FetchedDocument } from "../oauth-clients/fetch-document.js";
import type { Brokers } from "./brokers-file.js";

/** The MCP server of the platform, as a resource that clients ask tokens for. */
export interface McpResource extends PlatformResource {
  /** The URL that people give to their clients. It is the `aud` of the tokens. */
  readonly url: string;
}

/** What the endpoints of OAuth need. */
export interface OAuthParts extends AccountsParts {
  readonly platform: AccountsParts["platform"] & Pick<Platform, "brokerAuthenticator" | "tokenIssuer">;
  /** The `aud` of access tokens. */
  readonly audience: string;
  /** The `aud` of broker tokens. */
  readonly brokerAudience: string;
  /** The MCP server. Undefined without one. */
  readonly mcp: McpResource | undefined;
  /** Whether OAuth clients may register by a client metadata document. */
  readonly clientIdMetadata: boolean;
  /** Fetches a client metadata document. Default: from the public internet. @throws DocumentError */
  readonly fetchDocument?: (url: string) => Promise<FetchedDocument>;
  /** The brokers that may introspect tokens. */
  readonly brokers: Brokers;
}
