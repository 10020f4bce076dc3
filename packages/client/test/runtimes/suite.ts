import * as connect from "@platform-rpc/client";
import { isPlatformError, waitForDeviceAuthorization } from "@platform-rpc/client";
import { createRecipientKeys, createWriterKeys, openItem, sealItem, unwrapItemKey } from "@platform-rpc/client/crypto";
import * as json from "@platform-rpc/client/json";
import { createProofKey, type ProofKey } from "@platform-rpc/client/pop";
import { ask, type Environment, newUser } from "./environment.js";
import { expectMatch, type Suite } from "./test-runner.js";

export const entries = {
  "@platform-rpc/client": connect.createPlatformClient,
  "@platform-rpc/client/json": json.createPlatformClient,
};

/** What must be true in every runtime. */
export const everywhere: Suite = (test) => {
  test("runs in the runtime of the title", async ({ runtime }) => {
    expectMatch(navigator.userAgent.includes(runtime.userAgent) || navigator.userAgent, true);
    expectMatch(takesRedirectError(), runtime.takesRedirectError);
  });

  for (const [entry, createPlatformClient] of Object.entries(entries)) {
    test(`${entry}, SPEC section 4.1: deletes an item, with trace context, and returns the same answer to a retry`, async (environment) => {
      const { token, item } = await newUser(environment);
      const { vault } = createPlatformClient({ baseUrl: environment.baseUrl, token });
      // The headers that an OpenTelemetry propagator adds.
      const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
      const headers = { traceparent, tracestate: "vendor=1" };
      const tombstone = { item: { version: 2, deleted: true }, cursor: { sequence: 2 } };
      expectMatch(await vault.deleteItem(item, { headers }), tombstone);
      expectMatch(await vault.deleteItem(item), tombstone);
    });

    test(`${entry}, SPEC section 7: reports the item's current version with VERSION_CONFLICT`, async (environment) => {
      const { token, item } = await newUser(environment);
      const { vault } = createPlatformClient({ baseUrl: environment.baseUrl, token });
      await vault.deleteItem(item);
      const { itemId, vaultId } = item;
      const cursor = { vaultId, sequence: 2 };
      expectMatch(await errorOf(vault.deleteItem({ ...item, baseVersion: 7 })), {
        reason: "VERSION_CONFLICT",
        code: "aborted",
        retryable: false,
        detail: { itemId, baseVersion: 7, currentVersion: 2, deleted: true, cursor },
      });
    });

    test(`${entry}: can read the request id of a response`, async (environment) => {
      const { token, item } = await newUser(environment);
      const readable: (string | null)[] = [];
      const { vault } = createPlatformClient({
        baseUrl: environment.baseUrl,
        token,
        fetch: async (input, init) => {
          const response = await fetch(input, init);
          readable.push(response.headers.get("X-Request-Id"));
          return response;
        },
      });
      const deleted = await vault.deleteItem(item);
      const repeated = await vault.deleteItem(item);
      const conflict = await errorOf(vault.deleteItem({ ...item, baseVersion: 7 }));
      expectMatch([deleted.requestId, repeated.requestId, conflict.requestId], readable);
      expectMatch(new Set(readable).size, 3);
      for (const id of readable) expectMatch(/^[!-~]{16,128}$/.test(`${id}`), true);
    });

    test(`${entry}, RFC 8628: logs in while the user approves, and calls with the session`, async (environment) => {
      const { principalId, token, deviceCode, userCode, otherItem } = await newUser(environment);
      const { baseUrl } = environment;
      const client = createPlatformClient({ baseUrl, token });
      const statuses: string[] = [];
      let approval: Promise<unknown> | undefined;
      const session = await waitForDeviceAuthorization<{ readonly accessToken: string }>(client, deviceCode, {
        pollNow: true,
        onStatus: ({ status }) => {
          statuses.push(status);
          approval ??= ask(environment, "/approve", { principalId, userCode });
        },
      });
      // Logs the session on purpose: what a runtime prints must contain no tokens.
      console.log(`logged in by ${entry}`, session, session.token, `${session.token} ${JSON.stringify(session.token)}`);
      // On a busy machine, the approval may take longer than the interval between two polls.
      expectMatch([...new Set(statuses)], ["authorization_pending"]);
      expectMatch(await approval, { ok: true });
      const agent = createPlatformClient({ baseUrl, token: session.token });
      expectMatch(await agent.vault.deleteItem(otherItem), { item: { version: 2, deleted: true } });
    });

    test(`${entry}: follows no redirect, so that no other server receives the token`, async (environment) => {
      const { token, item } = await newUser(environment);
      const { vault } = createPlatformClient({ baseUrl: environment.redirectingUrl, token });
      expectMatch(await errorOf(vault.deleteItem(item)), { reason: "MALFORMED_RESPONSE", retryable: false });
      expectMatch(await ask(environment, "/arrived-elsewhere", {}), []);
    });
  }

  test("@platform-rpc/client/crypto: recipients open items sealed for them by a trusted writer", async () => {
    const about = {
      place: { tenantId: "t-1", vaultId: "v-1", itemId: "i-1", version: 1 },
      kind: "login",
      titleHash: "",
    };
    const recipients = [
      { recipientId: "ec", ...(await createRecipientKeys({ wrapAlg: "ECDH-ES+A256KW" })) },
      { recipientId: "rsa", ...(await createRecipientKeys({ wrapAlg: "RSA-OAEP-256" })) },
    ];
    const writer = { writerId: "ada", ...(await createWriterKeys()) };
    const plaintext = new TextEncoder().encode("Grüße, 世界");
    const sealed = await sealItem({ ...about, plaintext, recipients, writer });
    // The JSON that the platform stores and returns.
    const { encryptedPayload, wrappedKeys }: typeof sealed = JSON.parse(JSON.stringify(sealed));
    for (const recipient of recipients) {
      const wrapped = wrappedKeys.find(({ recipientId }) => recipientId === recipient.recipientId);
      if (wrapped === undefined) throw new Error(`no key for ${recipient.recipientId}`);
      const itemKey = await unwrapItemKey(wrapped, recipient);
      const opened = await openItem({ ...about, encryptedPayload, itemKey, writers: [writer] });
      expectMatch(new TextDecoder().decode(opened.plaintext), "Grüße, 世界");
    }
  });

  test("@platform-rpc/client/pop, RFC 9449: the broker accepts proofs for the token that is bound to their key", async (environment) => {
    await proveToBroker(environment, await createProofKey());
  });
};

/** Gets the broker token that is bound to a key, and lets the broker verify it with a proof. */
async function proveToBroker(environment: Environment, key: ProofKey): Promise<void> {
  const { token, approvedCode } = await newUser(environment, JSON.stringify(key.publicJwk));
  const client = json.createPlatformClient({ baseUrl: environment.baseUrl, token });
  const { brokerToken } = await json.waitForDeviceAuthorization(client, approvedCode, { pollNow: true });
  const accessToken = brokerToken.accessToken.reveal();
  const url = "https://broker.example/run";
  const dpop = await key.createProof({ htm: "POST", htu: url, accessToken });
  const authorization = `DPoP ${accessToken}`;
  const verified = await ask(environment, "/verify", { method: "POST", url, authorization, dpop });
  expectMatch([brokerToken.popKeyId, verified], [key.thumbprint, { popKeyId: key.thumbprint }]);
}

function takesRedirectError(): boolean {
  try {
    new Request("https://platform.example/", { redirect: "error" });
    return true;
  } catch {
    return false;
  }
}

/** Returns what a call rejects with, and prints it like a logger. */
async function errorOf(call: Promise<unknown>): Promise<PrintedError> {
  const thrown: unknown = await call.then(
    () => new Error("the call succeeded"),
    (thrown: unknown) => thrown,
  );
  console.log("refused", thrown);
  return isPlatformError(thrown) ? { ...thrown } : { reason: `${thrown}` };
}

interface PrintedError {
  readonly reason?: unknown;
  readonly requestId?: unknown;
  readonly retryAfterMs?: unknown;
}

/** On a page of an origin that may not call the platform. */
export const foreignPage: Suite = (test) => {
  for (const [entry, createPlatformClient] of Object.entries(entries)) {
    test(`a page with ${entry} of an origin that is not allowed gets no response, and the call has no effect`, async (environment) => {
      const { token, item } = await newUser(environment);
      const { vault } = createPlatformClient({ baseUrl: environment.baseUrl, token, retry: false });
      expectMatch(await errorOf(vault.deleteItem(item)), { reason: "NETWORK_ERROR" });
      const { vaultId, itemId } = item;
      expectMatch(await ask(environment, "/version", { vaultId, itemId }), 1);
    });
  }
};
