import { isPlatformError, waitForDeviceAuthorization } from "@platform-rpc/client";
import { type EitherClient, factories } from "./factories.ts";
import type { Entry, Fixture } from "./program-input.ts";
import type { EntryResult, PrintedError } from "./program-result.ts";

/** Calls the platform through one entry, with the runtime's own `fetch` except to simulate a lost response. */
export async function callPlatform(entry: Entry, fixture: Fixture): Promise<EntryResult> {
  const { baseUrl, token, item, otherItem, redirectingUrl } = fixture;
  const createPlatformClient = factories[entry];
  const client = createPlatformClient({ baseUrl, token });

  // The headers that an OpenTelemetry propagator adds.
  const headers = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", tracestate: "vendor=1" };
  const deleted = summary(await client.vault.deleteItem(item, { headers }));

  let readableRequestId: string | null = null;
  const reading = createPlatformClient({
    baseUrl,
    token,
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      readableRequestId = response.headers.get("X-Request-Id");
      return response;
    },
  });
  const repeated = { ...summary(await reading.vault.deleteItem(item)), readableRequestId };

  const conflict = await errorOf(client.vault.deleteItem({ ...item, baseVersion: 7 }));
  const redirecting = createPlatformClient({ baseUrl: redirectingUrl, token });
  const redirected = await errorOf(redirecting.vault.deleteItem(item));

  const login = await logIn(entry, fixture, client);
  const agent = createPlatformClient({ baseUrl, token: login.session.token });
  const { statuses, approval } = login;
  return {
    deleted,
    repeated,
    conflict,
    redirected,
    exchangedAgain: await exchangeAgain(entry, fixture),
    login: { statuses, approval, deleted: summary(await agent.vault.deleteItem(otherItem)) },
  };
}

/** Loses the first response with tokens. The client retries with the same Idempotency-Key. */
async function exchangeAgain(entry: Entry, { baseUrl, token, approvedCode }: Fixture) {
  const answers: string[] = [];
  const { identityGateway } = factories[entry]({
    baseUrl,
    token,
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (answers.push(await response.clone().text()) === 1) throw new TypeError("the response is lost");
      return response;
    },
  });
  const { status } = await identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode: approvedCode });
  return { status, attempts: answers.length, sameAnswer: answers[0] === answers[1] };
}

/** Runs a device login in which the user approves after the first poll. */
async function logIn(entry: Entry, { deviceCode, approvalUrl }: Fixture, client: EitherClient) {
  const statuses: string[] = [];
  let approval: Promise<Response> | undefined;
  const session = await waitForDeviceAuthorization<{ readonly accessToken: string }>(client, deviceCode, {
    pollNow: true,
    onStatus: ({ status }) => {
      statuses.push(status);
      approval ??= fetch(approvalUrl, { method: "POST" });
    },
  });
  // Logs the session on purpose: the test checks that the output contains no tokens.
  console.log(`logged in by ${entry}`, session, session.token, `${session.token} ${JSON.stringify(session.token)}`);
  return { session, statuses, approval: (await approval)?.status ?? 0 };
}

/** Returns the error that a call rejects with, as a logger prints it. */
async function errorOf(call: Promise<unknown>): Promise<PrintedError> {
  const thrown = await call.then(
    () => new Error("the call succeeded"),
    (thrown: unknown) => thrown,
  );
  console.log("refused", thrown);
  return isPlatformError(thrown) ? { ...thrown } : { reason: `${thrown}` };
}

function summary({ item, cursor, requestId }: Deleted): EntryResult["deleted"] {
  return { version: item.version, deleted: item.deleted, sequence: cursor.sequence, requestId };
}

interface Deleted {
  readonly item: { readonly version: number; readonly deleted: boolean };
  readonly cursor: { readonly sequence: number };
  readonly requestId: string;
}
