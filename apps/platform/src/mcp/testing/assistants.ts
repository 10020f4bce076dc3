import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import {
  StreamableHTTPClientTransport as HttpV1,
  StreamableHTTPError,
} from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { type AnsweredRequest, approveRequest } from "@platform-rpc/accounts/testing/answer-request";
import * as z from "zod";
import { createProvider } from "../../../test/accounts/oauth/testing/mcp-provider.js";
import { type McpApp, type McpPerson, oauthClientId, redirectUri } from "./start-mcp-app.js";

const result = z.looseObject({
  isError: z.boolean().optional(),
  content: z.array(z.looseObject({ text: z.string().optional() })),
  structuredContent: z.looseObject({}).optional(),
});

export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  readonly content: Readonly<Record<string, unknown>> | undefined;
}

/** An assistant with the code of an SDK. It signs in on the pages of the person when the server asks for that. */
export interface Assistant {
  readonly provider: ReturnType<typeof createProvider>;
  /** What the person was asked for on each page of the authorization. */
  readonly approved: AnsweredRequest[];
  /** The forms that the person was shown. */
  readonly forms: string[];
  listTools(): Promise<readonly string[]>;
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
}

export interface AssistantOptions {
  /** The id of the client, or the URL of its metadata document. Default: a registered client. */
  readonly clientId?: string;
  /** The only scope that the person allows on the first page. Default: all that it offers. */
  readonly onlyAtFirst?: string;
}

/** The SDKs, and the revisions of the protocol that they speak. */
export const kinds = [
  { name: "SDK v1 with 2025-11-25", sdk: "v1", revision: "legacy", forms: false },
  { name: "SDK v2 with 2025-11-25", sdk: "v2", revision: "legacy", forms: false },
  { name: "SDK v2 with 2026-07-28", sdk: "v2", revision: "2026-07-28", forms: true },
] as const;
export type Kind = (typeof kinds)[number];

export function createAssistant(
  app: Pick<McpApp, "accountsUrl" | "mcpUrl">,
  person: Pick<McpPerson, "browser">,
  { sdk, revision }: Kind,
  { clientId = oauthClientId, onlyAtFirst }: AssistantOptions = {},
): Assistant {
  const provider = createProvider({ accounts: app.accountsUrl, clientId, redirectUri });
  const approved: AnsweredRequest[] = [];
  const forms: string[] = [];
  const open = sdk === "v1" ? openV1 : openV2;
  let connection: ReturnType<typeof open> | undefined;

  function openV1() {
    const transport = new HttpV1(new URL(app.mcpUrl), { authProvider: provider });
    const client = new ClientV1({ name: "scripted", version: "1.0.0" }, {});
    return {
      connect: () => client.connect(transport),
      finish: (parameters: URLSearchParams) => transport.finishAuth(parameters.get("code") ?? ""),
      listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: (name: string, args: Record<string, unknown>): Promise<unknown> =>
        client.callTool({ name, arguments: args }),
      close: () => client.close(),
    };
  }

  function openV2() {
    const transport = new HttpV2(new URL(app.mcpUrl), { authProvider: provider });
    const client = new ClientV2(
      { name: "scripted", version: "1.0.0" },
      {
        capabilities: { elicitation: { form: {} } },
        versionNegotiation: { mode: revision === "legacy" ? "legacy" : { pin: revision } },
      },
    );
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      forms.push(params.message);
      return { action: "accept", content: { delete: true } };
    });
    return {
      connect: () => client.connect(transport),
      finish: (parameters: URLSearchParams) => transport.finishAuth(parameters),
      listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: (name: string, args: Record<string, unknown>): Promise<unknown> =>
        client.callTool({ name, arguments: args }),
      close: () => client.close(),
    };
  }

  /**
   * Connects if needed, and works. When the SDK has opened the page of the authorization, the person approves, and it is done again: at
   * most once to sign in, and for a further scope once, or twice with SDK v1.
   */
  async function signedIn<T>(work: (connected: ReturnType<typeof open>) => Promise<T>, pages = 3): Promise<T> {
    const opened = connection ?? open();
    try {
      if (connection === undefined) await opened.connect();
      connection = opened;
      return await work(opened);
    } catch (thrown) {
      if (pages === 0 || !(thrown instanceof Error)) throw thrown;
      if (thrown instanceof StreamableHTTPError && thrown.code === 403) {
        // After a 403, SDK v1 refreshes, which gives it no more scopes. Without a refresh token, it asks the person.
        provider.forgetRefreshToken();
      } else if (/Unauthorized/.test(`${thrown.name} ${thrown.message}`)) {
        const only = approved.length === 0 ? onlyAtFirst : undefined;
        const allows = (scope: string) => only === undefined || scope === only;
        const answered = await approveRequest(person.browser, provider.opened(), allows);
        approved.push(answered);
        await opened.finish(answered.redirectedTo.searchParams);
      } else throw thrown;
      connection = undefined;
      await opened.close();
      return signedIn(work, pages - 1);
    }
  }

  return {
    provider,
    approved,
    forms,
    listTools: () => signedIn((connected) => connected.listTools()),
    async call(name, args) {
      const {
        isError = false,
        content,
        structuredContent,
      } = result.parse(await signedIn((connected) => connected.call(name, { ...args })));
      return { isError, text: content[0]?.text ?? "", content: structuredContent };
    },
  };
}
