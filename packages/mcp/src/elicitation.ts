import { CLIENT_CAPABILITIES_META_KEY, type McpServer, type ServerContext } from "@modelcontextprotocol/server";
import * as z from "zod";

/** How an MCP client can ask its user. */
export interface Elicitation {
  /** It shows forms. */
  readonly form: boolean;
  /** It opens URLs. */
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
