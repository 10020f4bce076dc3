import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Octokit } from "octokit";
import OpenAI from "openai";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type BrokerSetUp, secret, startBroker, tokenOf } from "./testing/start-broker.js";
import type { Received } from "./testing/start-upstream.js";

/** A request of fetch, as undici announces it. */
interface Announced {
  readonly request: { readonly origin: string; readonly headers: unknown };
}

/**
 * Starts a broker, and a double of an API as its upstream.
 *
 * `sent` returns how many requests the SDK has sent, and fails unless all of them went to the broker, without the secret.
 */
async function startFor(api: "api.openai.com" | "api.github.com", options: BrokerSetUp = {}) {
  const broker = await startBroker({ resolve: async () => [{ address: "127.0.0.1", family: 4 }], ...options });
  const host = `${api}:${broker.upstream.port}`;
  broker.vault.put("i-1", { kind: "api_key", title: "Key", fields: { key: secret, host } });
  const announced: Announced["request"][] = [];
  const record = (message: unknown) => void announced.push((message as Announced).request);
  subscribe("undici:request:create", record);
  onTestFinished(() => void unsubscribe("undici:request:create", record));
  return {
    ...broker,
    host,
    baseUrl: `${broker.url}/${host}`,
    /** Sets what the API answers, in JSON. */
    answer(
      replyTo: (received: Received, count: number) => readonly [body: unknown, status?: number, headers?: object],
    ) {
      broker.upstream.answer = (response, received) => {
        const [body, status = 200, headers] = replyTo(received, broker.upstream.received.length);
        response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
      };
    },
    sent() {
      for (const { origin, headers } of announced) {
        expect(origin).toBe(broker.url);
        expect(JSON.stringify(headers)).not.toContain(secret);
      }
      return announced.length;
    },
  };
}

/** Adds a second item for the host, so that the request must name one. */
function addItem({ vault, host }: Pick<Awaited<ReturnType<typeof startFor>>, "vault" | "host">): void {
  vault.put("i-2", { kind: "api_key", title: "Second", fields: { key: "other-secret", host } });
}

const asked: OpenAI.ChatCompletionCreateParamsNonStreaming = {
  model: "gpt-5",
  messages: [{ role: "user", content: "Hello" }],
};
const completion = { choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }] };

describe("openai", () => {
  async function start(options?: BrokerSetUp) {
    const broker = await startFor("api.openai.com", options);
    return { ...broker, client: new OpenAI({ baseURL: `${broker.baseUrl}/v1`, apiKey: broker.token }) };
  }

  it("asks for a chat completion, and lists models", async () => {
    const { client, answer, upstream, counter, sent } = await start();
    answer(({ url }) => [url === "/v1/models" ? { object: "list", data: [{ id: "gpt-5" }] } : completion]);
    expect((await client.chat.completions.create(asked)).choices[0]?.message.content).toBe("Hi");
    expect((await client.models.list()).data).toEqual([{ id: "gpt-5" }]);
    const headers = { authorization: `Bearer ${secret}` };
    expect(upstream.received).toMatchObject([
      { method: "POST", url: "/v1/chat/completions", body: JSON.stringify(asked), headers },
      { method: "GET", url: "/v1/models", headers },
    ]);
    expect([sent(), counter.counted.size]).toEqual([2, 2]);
  });

  it("gets a streamed completion piece by piece", async () => {
    const { client, upstream, sent } = await start();
    const events = ["Hel", "lo", undefined].map((content) =>
      content === undefined ? "[DONE]" : JSON.stringify({ choices: [{ index: 0, delta: { content } }] }),
    );
    let sendNext = () => {};
    upstream.answer = (response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      sendNext = () => void response.write(`data: ${events.shift()}\n\n`);
      sendNext();
    };
    const pieces: unknown[] = [];
    for await (const { choices } of await client.chat.completions.create({ ...asked, stream: true })) {
      pieces.push(choices[0]?.delta.content);
      // Nothing is sent before the last piece has arrived.
      sendNext();
    }
    expect([pieces, sent()]).toEqual([["Hel", "lo"], 1]);
  });

  it("shows an error of the API as the API wrote it", async () => {
    const { client, answer, sent } = await start();
    const error = { message: "Incorrect API key provided.", type: "invalid_request_error", code: "invalid_api_key" };
    answer(() => [{ error }, 401, { "X-Request-Id": "req_1" }]);
    const shown = { status: 401, message: "401 Incorrect API key provided.", code: error.code, requestID: "req_1" };
    await expect(client.models.list()).rejects.toMatchObject(shown);
    expect(sent()).toBe(1);
  });

  it("asks a function for a token before each request", async () => {
    const { baseUrl, answer, counter, sent } = await start();
    answer(() => [completion]);
    const ids = ["t-1", "t-2"];
    const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: () => tokenOf({ jti: ids.shift() }) });
    await client.chat.completions.create(asked);
    await client.chat.completions.create(asked);
    expect([...counter.counted.values()].map(({ tokenId }) => tokenId)).toEqual(["t-1", "t-2"]);
    expect(sent()).toBe(2);
  });

  it("reads the URL and the token from the environment", async () => {
    const { baseUrl, token, answer, upstream, sent } = await start();
    answer(() => [completion]);
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv("OPENAI_BASE_URL", `${baseUrl}/v1`);
    vi.stubEnv("OPENAI_API_KEY", token);
    await new OpenAI().chat.completions.create(asked);
    expect([upstream.received.length, sent()]).toEqual([1, 1]);
  });

  const failsOnce = (_: Received, count: number) =>
    count === 1 ? ([{}, 500, { "Retry-After-Ms": "1" }] as const) : ([completion] as const);

  it("retries an error of the API without an Idempotency-Key, which counts as another use", async () => {
    const { client, answer, upstream, counter, sent } = await start();
    answer(failsOnce);
    await client.chat.completions.create(asked);
    expect(upstream.received.map(({ headers }) => headers["idempotency-key"])).toEqual([undefined, undefined]);
    expect([sent(), counter.counted.size]).toEqual([2, 2]);
  });

  it("retries with the Idempotency-Key of its caller, which the broker refuses: the first may have had an effect", async () => {
    const { client, answer, upstream, counter, sent } = await start();
    answer(failsOnce);
    const options = { headers: { "Idempotency-Key": "k-1" }, maxRetries: 1 };
    const refused = { status: 409, message: "409 A request with this Idempotency-Key was counted, sent and answered." };
    await expect(client.chat.completions.create(asked, options)).rejects.toMatchObject(refused);
    expect([sent(), counter.counted.size, upstream.received.length]).toEqual([2, 1, 1]);
  });

  it("shows at once that it must name an item", async () => {
    const broker = await start();
    addItem(broker);
    const message = expect.stringMatching(/Name one in the header Platform-Item: Key \(i-1\), Second \(i-2\)$/);
    await expect(broker.client.models.list()).rejects.toMatchObject({ status: 409, message });
    expect([broker.sent(), broker.counter.counted.size]).toEqual([1, 0]);
  });

  it("does not repeat by itself what may have been carried out", async () => {
    const { client, upstream, counter, sent } = await start();
    upstream.answer = (response) => response.destroy();
    const message = expect.stringContaining("The request may have been carried out");
    await expect(client.chat.completions.create(asked)).rejects.toMatchObject({ status: 502, message });
    expect([sent(), counter.counted.size]).toEqual([1, 1]);
  });
});

describe("octokit", () => {
  async function start(options?: BrokerSetUp) {
    const broker = await startFor("api.github.com", options);
    const { baseUrl, token: auth } = broker;
    return { ...broker, octokit: new Octokit({ baseUrl, auth, retry: { retryAfterBaseValue: 1 } }) };
  }

  it("lists the repositories of the person", async () => {
    const { octokit, answer, upstream, sent } = await start();
    answer(() => [[{ id: 1 }]]);
    expect((await octokit.rest.repos.listForAuthenticatedUser()).data).toEqual([{ id: 1 }]);
    expect(upstream.received).toMatchObject([{ url: "/user/repos", headers: { authorization: `Bearer ${secret}` } }]);
    expect(sent()).toBe(1);
  });

  it("reads all pages through the broker, and each is a use", async () => {
    const { octokit, host, answer, upstream, counter, sent } = await start();
    answer((_, count) => {
      const pageAt = (page: number, rel: string) =>
        `<https://${host}/user/repos?per_page=1&page=${page}>; rel="${rel}"`;
      const links = [...(count < 3 ? [pageAt(count + 1, "next")] : []), pageAt(3, "last")];
      return [[{ id: count }], 200, { Link: links.join(", ") }];
    });
    const repos = await octokit.paginate(octokit.rest.repos.listForAuthenticatedUser, { per_page: 1 });
    expect(repos.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(upstream.received.map(({ url }) => url)).toEqual([
      "/user/repos?per_page=1",
      "/user/repos?per_page=1&page=2",
      "/user/repos?per_page=1&page=3",
    ]);
    expect([sent(), counter.counted.size]).toEqual([3, 3]);
  });

  it.each([
    ["an absolute URL", true],
    ["a path", false],
  ])(
    "follows %s to a repository that has moved through the broker, which counts as another use",
    async (_, isAbsolute) => {
      const { octokit, host, answer, upstream, counter, sent } = await start();
      const moved = `${isAbsolute ? `https://${host}` : ""}/repositories/1`;
      answer(({ url }) => (url === "/repos/ada/old" ? [{}, 301, { Location: moved }] : [{ id: 1, name: "new" }]));
      const { data } = await octokit.rest.repos.get({ owner: "ada", repo: "old" });
      expect(data.name).toBe("new");
      expect(upstream.received.map(({ url }) => url)).toEqual(["/repos/ada/old", "/repositories/1"]);
      expect([sent(), counter.counted.size]).toEqual([2, 2]);
    },
  );

  it("shows at once that the budget is used, and what to do", async () => {
    const { octokit, sent, upstream } = await start({ budget: 0 });
    const message = expect.stringContaining("Ask the person who approved to give more at https://accounts.example/");
    const listed = octokit.rest.repos.listForAuthenticatedUser();
    await expect(listed).rejects.toMatchObject({ status: 403, message });
    expect([sent(), upstream.received.length]).toEqual([1, 0]);
  });

  it("shows that it must name an item, after retries that count nothing", async () => {
    const broker = await start();
    addItem(broker);
    const listed = broker.octokit.request("GET /user/repos", { request: { retries: 1 } });
    await expect(listed).rejects.toMatchObject({ status: 409, message: expect.stringContaining("Platform-Item") });
    expect([broker.sent(), broker.counter.counted.size]).toEqual([2, 0]);
  });

  it("retries an error of the API, which counts as another use", async () => {
    const { octokit, answer, counter, sent } = await start();
    answer((_, count) => (count === 1 ? [{}, 502] : [[]]));
    await octokit.rest.repos.listForAuthenticatedUser();
    expect([sent(), counter.counted.size]).toEqual([2, 2]);
  });
});
