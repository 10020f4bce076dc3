import { isPlatformError } from "@platform-rpc/client";
import { type EitherClient, factories } from "./factories.ts";
import type { Entry, Scene } from "./plot.ts";
import type { EntryTold, PrintedError } from "./told.ts";

/** Calls the platform through one entry as a program does, with the runtime's own `fetch` but where an answer is to be lost. */
export async function callPlatform(entry: Entry, scene: Scene): Promise<EntryTold> {
  const { baseUrl, token, item, otherItem, redirectingUrl } = scene;
  const createPlatformClient = factories[entry];
  const client = createPlatformClient({ baseUrl, token });

  // What a propagator of OpenTelemetry's adds.
  const headers = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", tracestate: "vendor=1" };
  const deleted = told(await client.vault.deleteItem(item, { headers }));

  let readableRequestId: string | null = null;
  const reading = createPlatformClient({
    ...{ baseUrl, token },
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      readableRequestId = response.headers.get("X-Request-Id");
      return response;
    },
  });
  const repeated = { ...told(await reading.vault.deleteItem(item)), readableRequestId };

  const conflict = await errorOf(client.vault.deleteItem({ ...item, baseVersion: 7 }));
  const redirecting = createPlatformClient({ baseUrl: redirectingUrl, token });
  const redirected = await errorOf(redirecting.vault.deleteItem(item));

  const login = await logIn(entry, scene, client);
  const agent = createPlatformClient({ baseUrl, token: login.session.token });
  const { statuses, approval } = login;
  return {
    ...{ deleted, repeated, conflict, redirected, exchangedAgain: await exchangeAgain(entry, scene) },
    login: { statuses, approval, deleted: told(await agent.vault.deleteItem(otherItem)) },
  };
}

/** The platform gives tokens, and the answer is lost: the client asks again, by the same Idempotency-Key. */
async function exchangeAgain(entry: Entry, { baseUrl, token, approvedCode }: Scene) {
  const answers: string[] = [];
  const { identityGateway } = factories[entry]({
    ...{ baseUrl, token },
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (answers.push(await response.clone().text()) === 1) throw new TypeError("the answer is lost");
      return response;
    },
  });
  const { status } = await identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode: approvedCode });
  return { status, attempts: answers.length, sameAnswer: answers[0] === answers[1] };
}

/** Waits for a user who approves once the first poll has found the authorization pending. */
async function logIn(entry: Entry, { deviceCode, approvalUrl }: Scene, client: EitherClient) {
  const statuses: string[] = [];
  let approval: Promise<Response> | undefined;
  const session = await client.identityGateway.waitForDeviceAuthorization(deviceCode, {
    pollNow: true,
    onStatus: ({ status }) => {
      statuses.push(status);
      approval ??= fetch(approvalUrl, { method: "POST" });
    },
  });
  // As careless as programs are. Whoever runs this looks for tokens in what comes out.
  console.log(`logged in by ${entry}`, session, session.token, `${session.token} ${JSON.stringify(session.token)}`);
  return { session, statuses, approval: (await approval)?.status ?? 0 };
}

/** The error that a call rejects with, as a logger prints it. */
async function errorOf(call: Promise<unknown>): Promise<PrintedError> {
  const thrown = await call.then(
    () => new Error("the call was answered"),
    (thrown: unknown) => thrown,
  );
  console.log("refused", thrown);
  return isPlatformError(thrown) ? { ...thrown } : { reason: `${thrown}` };
}

function told({ item, cursor, requestId }: Deleted): EntryTold["deleted"] {
  return { version: item.version, deleted: item.deleted, sequence: cursor.sequence, requestId };
}

interface Deleted {
  readonly item: { readonly version: number; readonly deleted: boolean };
  readonly cursor: { readonly sequence: number };
  readonly requestId: string;
}
