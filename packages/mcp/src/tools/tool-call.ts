import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { isPlatformError, type PlatformError } from "@platform-rpc/client";
import {
  type Clients,
  isSystemError,
  platformErrorOf,
  printableLines,
  programErrorOf,
  type UnlockedVaults,
} from "@platform-rpc/signed-in";
import * as z from "zod";

/** A call of a tool, before it is known whether somebody is signed in. */
export interface ToolRequest {
  /** The scopes that the tool needs. */
  readonly scopes: readonly string[];
  readonly elicitation: Elicitation;
  /** Undefined: consent needs a form. */
  readonly consentPage: ConsentPage | undefined;
  readonly context: ServerContext;
}

export interface ToolCall extends ToolRequest, Connected {
  /** See `Caller`. */
  readonly withoutTitles: string;
}

/** What a tool uses of the person. */
export interface Connected {
  readonly clients: Clients;
  /** What names the items. Undefined while it is locked, and in a server without keys. */
  readonly unlocked?: UnlockedVaults | undefined;
}

/** An item at a version. */
export interface Deletion {
  readonly vaultId: string;
  readonly itemId: string;
  /** The version that the assistant saw. */
  readonly version: number;
}

/** Consent to a deletion on a page, for MCP clients that cannot show a form. */
export interface ConsentPage {
  /** Returns the URL of the page on which the person decides about exactly this deletion. */
  link(deletion: Deletion): string;
  /**
   * Takes the consent for a deletion that is about to start, and resolves with whether the person has given it. Until `giveBack` or `end`,
   * tell a person who withdraws their consent that it is too late. A call that has failed or was repeated may take it again.
   */
  take(deletion: Deletion): Promise<boolean>;
  /** Returns the consent after the deletion was rejected. Not called if the deletion may have happened. */
  giveBack(deletion: Deletion): Promise<void>;
  /** Ends the consent after the deletion that it has allowed. */
  end(deletion: Deletion): Promise<void>;
}

/** What a tool answers: a result, or a question to the person. */
export type ToolAnswer = CallToolResult | InputRequiredResult;

/** How an MCP client can ask its user. */
export interface Elicitation {
  readonly form: boolean;
  readonly url: boolean;
}

const capabilities = z.object({
  elicitation: z.object({ form: z.unknown(), url: z.unknown() }).partial().optional(),
});
const envelope = z.object({ [CLIENT_CAPABILITIES_META_KEY]: capabilities });

/** Returns how the MCP client of a call can ask its user. A revision of 2026 declares it with each call, older ones on connecting. */
export function elicitationOf({ server }: Pick<McpServer, "server">, { mcpReq }: ServerContext): Elicitation {
  const ofCall = envelope.safeParse(mcpReq.envelope).data?.[CLIENT_CAPABILITIES_META_KEY];
  const { elicitation } = ofCall ?? capabilities.safeParse(server.getClientCapabilities()).data ?? {};
  if (elicitation === undefined) return { form: false, url: false };
  const url = elicitation.url !== undefined;
  // Clients from before the modes declare an empty object, and show forms.
  return { form: elicitation.form !== undefined || !url, url };
}

/** Returns a result for the assistant, also as text for clients that read only that. */
export function resultOf(content: object): CallToolResult {
  return {
    content: [{ type: "text", text: printableLines(JSON.stringify(content)) }],
    structuredContent: { ...content },
  };
}

/** Returns a result that says why the tool has no other result. A person may read it: control characters and marks of direction are escaped. */
export function refusal(text: string): CallToolResult {
  return { content: [{ type: "text", text: printableLines(text) }], isError: true };
}

/** Returns the result of a call that failed: the reason, what to do, and the id of the request. Undefined for a bug of the server. */
export function errorResult(thrown: unknown): CallToolResult | undefined {
  const local = isSystemError(thrown) ? thrown : programErrorOf(thrown);
  if (local !== undefined) return refusal(local.message);
  const error = platformErrorOf(thrown);
  if (error === undefined) return undefined;
  const { message, reason, requestId } = error;
  return refusal(`${message}${adviceOf(error)}\nReason: ${reason}\nRequest id: ${requestId}`);
}

function adviceOf(error: PlatformError): string {
  if (error.reason === "UNAUTHENTICATED") return "\nCall the tool again to sign in.";
  if (isPlatformError(error, "DELEGATION_EXHAUSTED")) {
    const { page } = error.detail;
    // The message of the platform names it, too.
    return page === "" || error.message.includes(page) ? "" : `\nThe person can give more at ${page}`;
  }
  return isPlatformError(error, "VERSION_CONFLICT") ? `\nThe current version is ${error.detail.currentVersion}.` : "";
}
