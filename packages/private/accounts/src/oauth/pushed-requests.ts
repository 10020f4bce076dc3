import { hash, randomBytes } from "node:crypto";
import type { Call } from "@platform-rpc/server";
import { defineCollection } from "@platform-rpc/server/host";
import type { Context } from "hono";
import * as z from "zod";
import { oauthCall } from "../http/call-of.js";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { OAuthError } from "../http/oauth-error.js";
import { authorizationParameters, readAuthorizationRequest, readRedirection } from "./authorization-request.js";
import type { FindClient } from "./find-client.js";
import type { OAuthParts } from "./oauth-parts.js";
import type { ReadProof } from "./proof-reader.js";
import { type Form, readForm } from "./read-form.js";

/**
 * Creates the endpoint to which clients push authorization requests (RFC 9126 section 2). Everything is checked here, so that the
 * client learns of its mistakes; and again when a browser opens the request, because the client may have changed.
 */
export function createPushedAuthorizationEndpoint(
  parts: OAuthParts,
  { findClient, readProof }: { readonly findClient: FindClient; readonly readProof: ReadProof },
) {
  const requests = createPushedRequests(parts);
  return async (context: Context<AccountsEnvironment>) => {
    const form = await readForm(context);
    const client = await findClient(context, form);
    if (form.has("request_uri")) {
      throw new OAuthError(
        "invalid_request",
        "A pushed request contains the parameters themselves, not a request_uri.",
      );
    }
    readRedirection(form, client, parts);
    const proofKeyId = await readProof(context);
    readAuthorizationRequest(form, client, proofKeyId, parts);
    const { oauthClientId } = client;
    const requestUri = await requests.push({ oauthClientId, form, proofKeyId }, oauthCall(context, client));
    return context.json({ request_uri: requestUri, expires_in: lifeMs / 1000 }, 201);
  };
}

const urnPrefix = "urn:ietf:params:oauth:request_uri:";

/** How long a person may take to open a pushed request and to decide, such as to sign up first, in milliseconds. */
const lifeMs = 10 * 60_000;

const pushedRequest = z.object({
  tenantId: z.string(),
  /** The hash of the `request_uri`. */
  requestHash: z.string(),
  oauthClientId: z.string(),
  parameters: z.record(z.string(), z.string()),
  /** The thumbprint of the key that was proved with the request; empty without a proof. */
  proofKeyId: z.string(),
  expiresAt: z.number(),
});
type StoredRequest = z.infer<typeof pushedRequest>;

const pushedRequests = defineCollection<StoredRequest>("pushed-request", {
  schema: pushedRequest.parse,
  keyOf: ({ tenantId, requestHash: key }) => ({ tenantId, key }),
  ownerOf: ({ oauthClientId }) => ({ oauthClientId }),
  expiresAt: ({ expiresAt }) => expiresAt,
});

/**
 * The authorization requests that clients have sent directly (RFC 9126). Each is decided once. Opening one writes nothing, because
 * previews and virus scanners open links, too.
 */
export function createPushedRequests({ own, clock, tenantId }: Pick<AccountsParts, "own" | "clock" | "tenantId">) {
  return {
    /** Stores a request. Resolves with its `request_uri`. */
    async push(
      {
        oauthClientId,
        form,
        proofKeyId,
      }: { readonly oauthClientId: string; readonly form: Form; readonly proofKeyId: string },
      call: Call,
    ): Promise<string> {
      const requestUri = urnPrefix + randomBytes(32).toString("base64url");
      const now = clock.now();
      // Anybody may push: what nobody reads would only fill the storage.
      const known = authorizationParameters.flatMap((name) => {
        const sent = form.get(name);
        return sent === undefined ? [] : [[name, sent] as const];
      });
      const parameters = Object.fromEntries(known);
      const request = { tenantId, requestHash: hashOf(requestUri), oauthClientId, parameters, proofKeyId };
      await own.putRecord(pushedRequests.create({ ...request, expiresAt: now + lifeMs }, now), call);
      return requestUri;
    },

    /**
     * Reads a request, and the write that uses it up. Undefined if it is unknown or used up, has expired, or belongs to another client.
     */
    async open(
      { oauthClientId, requestUri }: { readonly oauthClientId: string; readonly requestUri: string },
      call: Call,
    ) {
      const found = pushedRequests.open(await own.getRecord(pushedRequests.key(tenantId, hashOf(requestUri)), call));
      if (found?.value.oauthClientId !== oauthClientId) return undefined;
      const { parameters, proofKeyId, expiresAt } = found.value;
      const form: Form = new Map(Object.entries(parameters));
      return { form, proofKeyId, pushedAt: expiresAt - lifeMs, taking: found.remove() };
    },
  };
}

function hashOf(secret: string): string {
  return hash("sha256", secret, "base64url");
}
