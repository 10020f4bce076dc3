import { createConsentRequests } from "@platform-rpc/accounts/consents/consent-request";
import { createConsents } from "@platform-rpc/accounts/consents/consents";
import type { AccountsEnvironment } from "@platform-rpc/accounts/http/environment";
import { RequestError } from "@platform-rpc/accounts/http/request-error";
import { scopesOf } from "@platform-rpc/accounts/oauth-clients/grants";
import { errorFields } from "@platform-rpc/front/errors";
import type { ConsentPage, Deletion, McpHandler } from "@platform-rpc/mcp/server";
import type { TokenClaims } from "@platform-rpc/server/host";
import type { Context } from "hono";
import { createInProcessTransports } from "./in-process-transport.js";
import { mcpRoutes, rateOfPerson } from "./mcp-limits.js";
import type { McpParts } from "./mcp-parts.js";
import { challenge, metadataUrl } from "./protected-resource.js";

type McpContext = Context<AccountsEnvironment>;

export interface McpEndpoint {
  /** Serves a request for the host of the endpoint. @throws RequestError, StorageError */
  handle(context: McpContext): Promise<Response>;
  /** Ends the running calls of tools. */
  close(): Promise<void>;
}

export function createMcpEndpoint(parts: McpParts): McpEndpoint {
  const { logger, rateLimiter, resource, stateKey, routes, onRequestEnd } = parts;
  const requests = createConsentRequests(parts);
  const consents = createConsents(parts);
  const onFailed = (thrown: unknown) => logger.error({ ...errorFields(thrown), listener: "mcp" }, "unexpected error");
  let handler: Promise<McpHandler> | undefined;
  let transports: ReturnType<typeof createInProcessTransports> | undefined;

  /** Loads the handler with the first call: most processes of a large platform never get one. If that fails, the next call tries again. */
  function openHandler(): Promise<McpHandler> {
    const load = async () => {
      const { createMcpHandler } = await import("@platform-rpc/mcp/server");
      return createMcpHandler({ stateKey, resourceMetadataUrl: metadataUrl(parts), onBug: onFailed });
    };
    handler ??= load().catch((thrown: unknown) => {
      handler = undefined;
      throw thrown;
    });
    return handler;
  }

  /** @throws RequestError RATE_LIMITED */
  async function limitPerson({ tenantId, principalId }: TokenClaims): Promise<void> {
    const key = JSON.stringify([mcpRoutes.listener, "person", tenantId, principalId]);
    const waitMs = (await rateLimiter?.take(key, rateOfPerson)) ?? 0;
    if (waitMs > 0) throw new RequestError("RATE_LIMITED", { waitMs });
  }

  /** Where the person of a token decides about the deletions of its client. */
  function consentPageOf(context: McpContext, claims: TokenClaims): ConsentPage {
    const { tenantId, principalId, oauthClientId, tokenId } = claims;
    const requestOf = (deletion: Deletion) =>
      ({ kind: "deletion", tenantId, principalId, oauthClientId, ...deletion }) as const;
    const actor = { tenantId, principalId, oauthClientId, tokenId, operation: "mcp/delete_item" };
    const call = { actor: { ...actor, requestId: context.get("requestId") }, wanted: context.get("wanted") };
    // What a deletion has taken is settled even if its caller has gone.
    const settling = { ...call, wanted: () => true };
    return {
      link: (deletion) => requests.link(requestOf(deletion)),
      take: (deletion) => consents.take(requestOf(deletion), call),
      // The deletion was rejected, whatever happens to the consent. That one expires.
      giveBack: (deletion) => consents.giveBack(requestOf(deletion), settling).catch(onFailed),
      // The item is deleted, whatever happens to the consent. That one allows nothing more, and expires.
      end: (deletion) => consents.end(requestOf(deletion), settling).catch(onFailed),
    };
  }

  return {
    async handle(context) {
      const token = tokenIn(context.req.header("Authorization"));
      // A browser sends the origin of the page: none acts as a client, and one with a rebound name has another origin. Without a token, it
      // gets the challenge like everybody.
      const { origin: ownOrigin } = new URL(resource.url);
      const sentBy = context.req.header("Origin") ?? ownOrigin;
      if (token !== undefined && sentBy !== ownOrigin) throw new RequestError("CROSS_ORIGIN");
      const found = token === undefined ? undefined : await resource.authenticator.authenticate(token);
      if (token === undefined || found?.access.oauthClient?.enabled !== true) return challenge(context, parts, token);
      const { claims } = found;
      await limitPerson(claims);
      transports ??= createInProcessTransports({ routes, admit: resource.admit, onFailed, onCallEnd: onRequestEnd });
      const { tenantId, principalId, oauthClientId, scopes } = claims;
      const response = await (await openHandler()).fetch(context.req.raw, {
        id: JSON.stringify([tenantId, principalId, oauthClientId]),
        token,
        scopes,
        obtainableScopes: scopesOf(found.access.oauthClient),
        transport: transports(context.get("requestId")),
        consentPage: consentPageOf(context, claims),
      });
      return context.newResponse(response.body, response);
    },
    close: async () => (await handler)?.close(),
  };
}

function tokenIn(authorization = ""): string | undefined {
  return /^Bearer +(\S.*)$/i.exec(authorization)?.[1];
}
