import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createConnection, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { bind } from "../src/bound-socket.js";
import {
  createHandlerListener,
  defaultConnectionLimits,
  type HandlerListenerOptions,
  type RejectedRequest,
} from "../src/handler-listener.js";
import { createHttpServer } from "../src/http-server.js";

const get = (path = "/") => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
/** A request of which the body never arrives completely. */
const post = (path: string) => `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx`;
const hello = (_: IncomingMessage, response: ServerResponse) => void response.end("hello");

/** Starts a listener that ends with the test. */
async function start(options: Partial<HandlerListenerOptions> = {}) {
  const rejected: RejectedRequest[] = [];
  const onRejected = (request: RejectedRequest) => void rejected.push(request);
  const listener = createHandlerListener({ handle: hello, onRejected, ...options });
  const { port } = await listener.serve(await bind({ ...defaultConnectionLimits, port: 0, host: "0.0.0.0" }));
  const sockets = new Set<Socket>();
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await listener.close(0);
  });
  const connect = (localAddress = "127.0.0.1") => {
    const socket = createConnection({ port, host: "127.0.0.1", localAddress });
    sockets.add(socket.on("error", () => {}));
    return socket;
  };
  return {
    listener,
    rejected,
    connect,
    /** Sends one request on a connection, and resolves with the head of its response; empty if the connection was closed. */
    async ask(socket: Socket, request = get()): Promise<string> {
      socket.write(request);
      const arrived: unknown = await Promise.race([once(socket, "data"), once(socket, "close").then(() => [""])]);
      return String(arrived);
    },
  };
}

/** Lets the test set the time that connections are idle, and that responses make no progress. */
function fakeTime(): void {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
}

describe("DECISIONS section 7: requests of one connection are served one after the other", () => {
  it("responds to the first request too many with 429, after those before it, and ends the connection", async () => {
    let served = 0;
    const { connect, rejected } = await start({
      handle: (_, response) => {
        served += 1;
        setImmediate(() => response.end("hello"));
      },
      limits: { pipelinedRequests: 16, drainMs: 100 },
      jsonFor: ({ url, reason }) => (url === "/17" ? { reason } : undefined),
      rejectedHeaders: ({ reason }) => [["Own-Reason", reason]],
    });
    const socket = connect();
    socket.write(Array.from({ length: 1_000 }, (_, index) => get(`/${index}`)).join(""));
    const answers = (await text(socket)).split("HTTP/1.1 ").slice(1);
    expect(answers.map((answer) => answer.slice(0, 3))).toEqual([...Array.from({ length: 17 }, () => "200"), "429"]);
    expect(answers.at(-1)).toContain("\r\nOwn-Reason: RATE_LIMITED\r\n");
    expect(answers.at(-1)).toMatch(/\r\nConnection: close\r\n\r\n\{"reason":"RATE_LIMITED"\}$/);
    expect(served).toBe(17);
    expect(rejected).toMatchObject([{ status: 429, reason: "RATE_LIMITED" }]);
  });

  it("ends a caller that reads nothing of its response within the write time limit", async () => {
    fakeTime();
    const body = Buffer.alloc(32 * 1024 * 1024);
    const { listener, connect } = await start({
      handle: (_, response) => void response.end(body),
      limits: { writeTimeoutMs: 200 },
    });
    connect().write(get());
    await expect.poll(() => listener.connections).toBe(1);
    const connections = () => {
      vi.advanceTimersByTime(200);
      return listener.connections;
    };
    await expect.poll(connections).toBe(0);
  });

  it("does not end a caller that waits for a response longer than the write time limit", async () => {
    const { connect, ask } = await start({
      handle: (_, response) => void setTimeout(() => response.end("late"), 250),
      limits: { writeTimeoutMs: 50 },
    });
    expect(await ask(connect())).toContain("200 OK");
  });
});

describe("DECISIONS section 6: a request that is not well-formed never reaches the handler", () => {
  it.each([
    ["two Host headers", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "MALFORMED_HTTP"],
    ["no HTTP", "hello\r\n\r\n", 400, "MALFORMED_HTTP"],
    [
      "Content-Length and Transfer-Encoding, which two servers could read as different requests",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
      "MALFORMED_HTTP",
    ],
    ["chunks in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "MALFORMED_HTTP"],
    ["large headers", `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 431, "HEADERS_TOO_LARGE"],
    ["CONNECT", "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", 405, "METHOD_NOT_ALLOWED"],
    [
      "a coding before chunked",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      501,
      "ENCODING_UNSUPPORTED",
    ],
  ])("%s: the connection ends with the error", async (_, bytes, status, reason) => {
    const { connect, rejected } = await start({ handle: () => expect.unreachable() });
    const socket = connect();
    socket.write(bytes);
    const answer = await text(socket);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*\r\nConnection: close\r\n\r\n[A-Z][^]*\\.\n$`));
    expect(rejected).toEqual([{ requestId: expect.any(String), status, reason }]);
    expect(answer).toContain(`X-Request-Id: ${rejected[0]?.requestId}`);
  });

  it.each([
    ["half a body", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab"],
    ["a body in chunks without an end", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n"],
    ["half a head", "GET / HTTP/1.1\r\nHost:"],
  ])("%s within the time limit: the connection ends with REQUEST_TIMEOUT", async (_, bytes) => {
    const { connect, rejected } = await start({
      handle: (request) => void request.resume(),
      limits: { receiveTimeoutMs: 100, drainMs: 100 },
    });
    const socket = connect();
    socket.write(bytes);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /);
    expect(rejected).toMatchObject([{ reason: "REQUEST_TIMEOUT" }]);
  });
});

it("a connection that never sent a byte is closed without a response", async () => {
  const { connect, rejected } = await start({ limits: { receiveTimeoutMs: 50 } });
  expect(await text(connect())).toBe("");
  expect(rejected).toEqual([]);
});

it("an idle connection is closed later than its response announces", async () => {
  const { connect, ask } = await start({ limits: { keepAliveMs: 65_000 } });
  expect(await ask(connect())).toContain("Keep-Alive: timeout=65\r\n");
  const { keepAliveTimeout, keepAliveTimeoutBuffer } = createHttpServer(defaultConnectionLimits, {}, undefined);
  expect([keepAliveTimeout, keepAliveTimeoutBuffer]).toEqual([65_000, 2_000]);
});

describe("a request with Expect: 100-continue", () => {
  const expecting =
    "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\nConnection: close\r\n\r\n";

  it.each([
    ["events", (request, response) => void request.on("data", (body) => response.end(body))],
    ["an iterator", async (request, response) => void response.end(await text(request))],
  ] satisfies [string, HandlerListenerOptions["handle"]][])(
    "is continued once when the handler reads its body with %s",
    async (_, handle) => {
      const { connect, ask } = await start({ handle });
      const socket = connect();
      expect(await ask(socket, expecting)).toBe("HTTP/1.1 100 Continue\r\n\r\n");
      expect(await ask(socket, "x")).toMatch(/^HTTP\/1\.1 200 OK\r\n.*x/s);
    },
  );
  it("is not continued if the handler rejects it without its body", async () => {
    const { connect, ask } = await start({ handle: (_, response) => void response.writeHead(413).end() });
    expect(await ask(connect(), expecting)).toMatch(/^HTTP\/1\.1 413 /);
  });
});

describe("a response that is sent before the body has arrived", () => {
  it("reaches its caller, who may then send another request", async () => {
    const { connect, ask } = await start({ handle: (_, response) => void response.writeHead(413).end() });
    const socket = connect();
    const body = "x".repeat(1024 * 1024);
    expect(await ask(socket, `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`)).toContain("413");
    expect(await ask(socket, body + get())).toContain("413");
  });

  it("reaches a caller that sends 5 MB before it reads, 20 of 20 times", async () => {
    const { connect } = await start({ handle: (_, response) => void response.writeHead(413).end() });
    const body = Buffer.alloc(5_000_000);
    for (let round = 0; round < 20; round += 1) {
      const socket = connect();
      socket.write(`POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`);
      await new Promise<void>((resolve) => socket.write(body, () => resolve()));
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 /);
    }
  });

  it("reads no more than its limit of a body that does not end", async () => {
    let server: Socket | undefined;
    const { connect, ask } = await start({
      handle(request, response) {
        server = request.socket;
        response.writeHead(413).end();
      },
      limits: { drainBytes: 100_000, drainMs: 60_000 },
    });
    const socket = connect();
    const closed = new Promise((resolve) => socket.on("close", resolve));
    expect(await ask(socket, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 999999999\r\n\r\n")).toContain("413");
    const send = () => {
      while (!socket.destroyed && socket.write(Buffer.alloc(65_536)));
    };
    socket.on("drain", send);
    send();
    await closed;
    expect(server?.bytesRead).toBeLessThan(300_000);
  });
});

describe("a failure", () => {
  it.each([
    ["throws", () => void JSON.parse("{")],
    ["rejects", () => Promise.reject(new SyntaxError())],
  ])("by a handler that %s: its caller gets 500, others are served, and the error is reported", async (_, fail) => {
    const failures: unknown[] = [];
    const { connect, ask, rejected } = await start({
      handle: (request, response) => (request.url === "/fails" ? fail() : hello(request, response)),
      onFailed: (thrown) => void failures.push(thrown),
    });
    expect(await ask(connect(), get("/fails"))).toContain("500 Internal Server Error");
    expect(await ask(connect())).toContain("200 OK");
    expect(failures).toEqual([expect.any(SyntaxError)]);
    expect(rejected).toMatchObject([{ status: 500, reason: "INTERNAL" }]);
  });

  it("after its response has begun: the connection is closed, so that the caller does not take a part for the whole", async () => {
    const { connect } = await start({
      async handle(_, response) {
        response.writeHead(200, { "Content-Length": 9 }).write("half");
        throw new Error("lost");
      },
    });
    const socket = connect();
    socket.write(get());
    expect(await text(socket)).not.toContain("500");
  });
});

describe("a listener that is full", () => {
  beforeEach(fakeTime);
  /** Lets the connections that are idle now be idle for a second. */
  const idleForASecond = () => vi.advanceTimersByTime(1_000);
  const most = 100;
  const holds = {
    "idle after one request each": async ({ connect, ask }: Awaited<ReturnType<typeof start>>) => {
      await Promise.all(Array.from({ length: most }, () => ask(connect())));
      idleForASecond();
    },
    "with half a request each": async ({ connect, listener }: Awaited<ReturnType<typeof start>>) => {
      for (let count = 0; count < most; count += 1) connect().write("GET / HT");
      await expect.poll(() => listener.connections).toBe(most);
    },
    "with a rejected request each, whose body does not arrive": async ({
      connect,
      ask,
    }: Awaited<ReturnType<typeof start>>) => {
      await Promise.all(Array.from({ length: most }, () => ask(connect(), post("/"))));
    },
    "with a request each, whose body the handler waits for": async ({
      connect,
      listener,
    }: Awaited<ReturnType<typeof start>>) => {
      for (let count = 0; count < most; count += 1) connect().write(post("/body"));
      await expect.poll(() => listener.connections).toBe(most);
    },
  };

  it.each(Object.entries(holds))(
    "serves callers at other addresses while one address has all connections %s",
    async (_, hold) => {
      const handle: HandlerListenerOptions["handle"] = (request, response) =>
        void (request.url === "/body" ? request.on("end", () => response.end()).resume() : response.end("hello"));
      const test = await start({ limits: { connections: most }, handle });
      await hold(test);
      for (let count = 0; count < 20; count += 1) {
        expect(await test.ask(test.connect("127.0.0.2"))).toContain("200 OK");
      }
      expect(test.listener.connections).toBe(most);
    },
  );

  it("closes no connection with a request in flight, and none that was used within the last second", async () => {
    const waiting: ServerResponse[] = [];
    const test = await start({
      limits: { connections: 2 },
      handle: (request, response) => void (request.url === "/slow" ? waiting.push(response) : response.end("quick")),
    });
    const slow = test.connect();
    const answer = test.ask(slow, get("/slow"));
    await expect.poll(() => waiting.length).toBe(1);
    idleForASecond();
    await test.ask(test.connect());
    expect(await test.ask(test.connect("127.0.0.2"))).toBe("");
    waiting[0]?.end("slow");
    expect(await answer).toContain("200 OK");
  });

  it("makes room at the address with the most connections, even if others have been idle longer", async () => {
    const test = await start({ limits: { connections: 4 } });
    const single = test.connect("127.0.0.3");
    await test.ask(single);
    const crowd = [test.connect(), test.connect(), test.connect()];
    for (const socket of crowd) await test.ask(socket);
    idleForASecond();
    for (let count = 0; count < 2; count += 1) await test.ask(test.connect(`127.0.0.${4 + count}`));
    await expect.poll(() => crowd.map(({ destroyed }) => destroyed)).toEqual([true, true, false]);
    expect(await test.ask(single)).toContain("200 OK");
  });

  it("never makes room for an address at one with fewer connections", async () => {
    const waiting: ServerResponse[] = [];
    const test = await start({
      limits: { connections: 4 },
      handle: (request, response) => void (request.url === "/slow" ? waiting.push(response) : response.end("quick")),
    });
    const single = test.connect("127.0.0.3");
    await test.ask(single);
    for (let count = 0; count < 3; count += 1) test.connect().write(get("/slow"));
    await expect.poll(() => waiting.length).toBe(3);
    idleForASecond();
    expect(await test.ask(test.connect())).toBe("");
    expect(await test.ask(single)).toContain("200 OK");
  });

  it.each([[["127.0.0.1"]], [["10.0.0.0/8", "127.0.0.0/31"]], ["all" as const]])(
    "never closes connections of the trusted proxies %j to make room",
    async (trustedProxies) => {
      const test = await start({ limits: { connections: 2, connectionsPerAddress: 1 }, trustedProxies });
      const proxy = [test.connect(), test.connect()];
      for (const socket of proxy) await test.ask(socket);
      idleForASecond();
      expect(await test.ask(test.connect("127.0.0.2"))).toBe("");
      for (const socket of proxy) expect(await test.ask(socket)).toContain("200 OK");
    },
  );

  it("accepts a new connection of an address at its own limit only when one of it closes", async () => {
    const test = await start({ limits: { connectionsPerAddress: 1 } });
    const first = test.connect();
    await test.ask(first);
    expect(await test.ask(test.connect())).toBe("");
    expect(await test.ask(test.connect("127.0.0.2"))).toContain("200 OK");
    first.destroy();
    await expect.poll(() => test.ask(test.connect())).toContain("200 OK");
  });
});

describe("closing", () => {
  it("waits for running requests, and rejects those that have not arrived", async () => {
    const waiting: ServerResponse[] = [];
    const { listener, connect, ask } = await start({ handle: (_, response) => void waiting.push(response) });
    const running = ask(connect());
    const partial = connect();
    partial.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n");
    await expect.poll(() => waiting.length).toBe(2);
    const closed = listener.close();
    expect(await text(partial)).toMatch(/^HTTP\/1\.1 503 /);
    for (const response of waiting) response.end("done");
    expect(await running).toContain("200 OK");
    await closed;
    await expect.poll(() => listener.connections).toBe(0);
  });

  it("ends each connection with its next response once callers should leave", async () => {
    const { listener, connect } = await start();
    const socket = connect();
    await once(socket, "connect");
    listener.leave();
    socket.write(get());
    expect(await text(socket)).toContain("Connection: close");
  });
});
