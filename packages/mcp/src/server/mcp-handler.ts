import type { Transport } from "@connectrpc/connect";
import { type AuthInfo, createMcpHandler as createSdkHandler, readRequestBody } from "@modelcontextprotocol/server";
import { createPlatformClient, createPlatformTransport } from "@platform-rpc/client";
import { isText, must, ofType, requireOptions } from "@platform-rpc/options";
import { createMemberClient } from "@platform-rpc/signed-in";
import { type Caller, createMcpServerFactory } from "../tools/create-mcp-server.js";
import type { ConsentPage } from "../tools/tool-call.js";
import { inAcceptedForm, readAccept } from "./accept.js";

/** The person and the OAuth client of an access token that you have verified. */
export interface TokenCaller {
  /** Identifies the person and the OAuth client. The answer to a question is taken only from the caller who was asked. */
  readonly id: string;
  /** The token, which `transport` receives with each call. Nothing else does. */
  readonly token: string;
  /** The scopes of the token. */
  readonly scopes: readonly string[];
  /**
   * The scopes that the OAuth client may have. For a tool that needs others, it is not asked to get a token with more scopes: the call
   * of the operation fails.
   */
  readonly obtainableScopes: readonly string[];
  /**
   * Calls the operations of the API and of members. It must authorize each call by its token: the tools call what their arguments say.
   * Let it call in your process: other servers must not get a token for this one.
   */
  readonly transport: Transport;
  /**
   * Where the person consents to a deletion if their MCP client cannot show a form, such as with revisions before 2026. Default: such a
   * client cannot delete.
   */
  readonly consentPage?: ConsentPage | undefined;
}

/** The keys and addresses of a handler. */
export interface McpHandlerOptions {
  /**
   * Signs the questions to a person that an MCP client brings back: at least 32 bytes. All processes that serve the same URL need the same
   * key.
   */
  readonly stateKey: Uint8Array;
  /** The URL of the protected resource metadata (RFC 9728), for challenges. */
  readonly resourceMetadataUrl: string;
  /** Called with an error that is a bug of a tool, for a log. Default: nothing is called. */
  readonly onBug?: (thrown: unknown) => void;
}

/** Serves MCP over streamable HTTP. */
export interface McpHandler {
  /**
   * Serves a request, whatever its path is. Verify its token, Host and Origin first. A request contains one message: a batch would be many
   * calls that count as one.
   *
   * @param caller whose token came with the request.
   */
  fetch(request: Request, caller: TokenCaller): Promise<Response>;
  /** Ends the running calls of tools. */
  close(): Promise<void>;
}

/** Larger than any call of a tool. */
const maxRequestBodySize = 64 * 1024;

/**
 * Creates a handler that serves the tools of `platform-mcp` to callers with an access token. It keeps no sessions, so that any process can
 * serve any request: with the revision 2026-07-28 of the protocol, a person is asked in forms of their client; earlier revisions have no
 * forms without a session, and need a `consentPage`. A tool that needs a further scope gets 403 with the scopes to ask for (RFC 6750 section 3.1).
 *
 * @example
 * ```ts
 * import { createMcpHandler } from "@platform-rpc/mcp/server";
 *
 * const stateKey = crypto.getRandomValues(new Uint8Array(32));
 * const resourceMetadataUrl = "https://mcp.example/.well-known/oauth-protected-resource/mcp";
 * const handler = createMcpHandler({ stateKey, resourceMetadataUrl });
 * await handler.close();
 * ```
 *
 * @throws TypeError that names each invalid option and what is expected.
 */
export function createMcpHandler(options: McpHandlerOptions): McpHandler {
  requireOptions("createMcpHandler", options, {
    stateKey: must("be a Uint8Array of 32 bytes or more", (value) => value instanceof Uint8Array && value.length >= 32),
    resourceMetadataUrl: must("be the URL of the protected resource metadata", isText),
    onBug: ofType("function"),
  });
  const { stateKey, resourceMetadataUrl, onBug } = options;
  const callers = new WeakMap<AuthInfo, Caller>();
  const factory = createMcpServerFactory({
    stateKey,
    onBug,
    callerOf({ authInfo }) {
      const caller = authInfo && callers.get(authInfo);
      if (caller === undefined) throw new TypeError("the request has no caller");
      return caller;
    },
  });
  const { fetch, close } = createSdkHandler(factory, {
    legacy: "stateless",
    // The tools never change: there is nothing to subscribe to.
    maxSubscriptions: 0,
  });
  return {
    async fetch(request, caller) {
      const accepted = readAccept(request.headers.get("Accept"));
      if (!accepted.json && !accepted.stream) return notAcceptable();
      const read = request.method === "POST" ? await readMessage(request) : {};
      if (read.rejected !== undefined) return read.rejected;
      const { id: clientId, scopes } = caller;
      // The SDK passes it to the tools, which need no token.
      const authInfo = { token: "", clientId, scopes: [...scopes], resourceMetadataUrl };
      callers.set(authInfo, createTokenCaller(caller));
      const response = await fetch(acceptingBoth(request), { authInfo, parsedBody: read.message });
      return (await inAcceptedForm(response, accepted)) ?? notAcceptable();
    },
    close,
  };
}

/** The SDK compares the header with the names of both types. The body was read. */
function acceptingBoth({ url, method, headers, signal }: Request): Request {
  const accepting = new Headers(headers);
  accepting.set("Accept", "application/json, text/event-stream");
  return new Request(url, { method, headers: accepting, signal });
}

function notAcceptable(): Response {
  return rejection(
    406,
    -32_000,
    "There is no answer in a type of the Accept header. Send: application/json, text/event-stream",
  );
}

/** Reads the message of a request, once for everything that looks at it. */
async function readMessage(
  request: Request,
): Promise<{ readonly message?: unknown; readonly rejected?: Response | undefined }> {
  const body = await readRequestBody(request, maxRequestBodySize).catch(() => undefined);
  if (body === undefined) return { rejected: rejection(400, -32_700, "The body could not be read.") };
  if (body.tooLarge)
    return { rejected: rejection(413, -32_000, `The body is too large: send at most ${maxRequestBodySize} bytes.`) };
  let message: unknown;
  try {
    message = JSON.parse(body.text);
  } catch {
    return { rejected: rejection(400, -32_700, "The body is not JSON.") };
  }
  if (!Array.isArray(message)) return { message };
  return { rejected: rejection(400, -32_600, "Send one message in each request: batches are not supported.") };
}

/** Returns the error of a request whose message was not read (JSON-RPC 2.0 section 5). */
function rejection(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });
}

const withoutTitles =
  "Titles are encrypted, and this server has no keys: it knows items by their ids only. The vault in the browser shows titles, and so does platform-mcp on a computer where platform unlock was run.";

function createTokenCaller({ token, scopes, obtainableScopes, transport, consentPage }: TokenCaller): Caller {
  return {
    consentPage,
    withoutTitles,
    async connect() {
      const options = { token, transport };
      const member = createMemberClient(createPlatformTransport(options));
      return { clients: { platform: createPlatformClient(options), member } };
    },
    challenge(needed) {
      const missing = needed.filter((scope) => !scopes.includes(scope));
      if (missing.length === 0 || !missing.every((scope) => obtainableScopes.includes(scope))) return undefined;
      const [first, ...others] = needed;
      // With the scopes of the token, so that the next one allows no less.
      return [first, ...new Set([...others, ...scopes].filter((scope) => scope !== first))];
    },
  };
}
