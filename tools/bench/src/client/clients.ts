import { createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { createPlatformClient } from "@platform-rpc/client";
import { createPlatformClient as createJsonClient } from "@platform-rpc/client/json";
import { VaultService } from "@platform-rpc/types";
import { path } from "../platform/fixture.ts";

const request = { vaultId: "vault-0", itemId: "item-0", baseVersion: 1 };
const token = "t".repeat(800);

/** Makes a call and reads the item of the response. */
export type Call = () => Promise<unknown>;

interface Client {
  readonly title: string;
  readonly own: boolean;
  readonly create: (baseUrl: string) => Call;
}

/** The compared clients. All of them send the same token and the same JSON. */
export const clients = {
  fetch: { title: "plain fetch", own: false, create: createFetchCall },
  json: {
    title: "@platform-rpc/client/json",
    own: true,
    create(baseUrl) {
      const client = createJsonClient({ baseUrl, token });
      return () => client.vault.deleteItem(request);
    },
  },
  stock: {
    title: "stock Connect client, with a token interceptor",
    own: false,
    create(baseUrl) {
      const transport = createConnectTransport({
        baseUrl,
        httpVersion: "1.1",
        useBinaryFormat: false,
        interceptors: [withToken],
      });
      const client = createClient(VaultService, transport);
      return () => client.deleteItem(request);
    },
  },
  connect: {
    title: "@platform-rpc/client",
    own: true,
    create(baseUrl) {
      const client = createPlatformClient({ baseUrl, token });
      return () => client.vault.deleteItem(request);
    },
  },
} as const satisfies Readonly<Record<string, Client>>;

export type ClientName = keyof typeof clients;

export const clientNames = Object.keys(clients).filter(isClientName);

export function isClientName(name: string): name is ClientName {
  return Object.hasOwn(clients, name);
}

const withToken: Interceptor = (next) => (call) => {
  call.header.set("Authorization", `Bearer ${token}`);
  return next(call);
};

function createFetchCall(baseUrl: string): Call {
  const headers = {
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/json",
    "Connect-Protocol-Version": "1",
  };
  return async () => {
    const response = await fetch(baseUrl + path, { method: "POST", headers, body: JSON.stringify(request) });
    return await response.json();
  };
}
