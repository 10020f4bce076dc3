import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { startProxy } from "./network.ts";

/** Starts a server that answers each message with its name and the message. */
async function startServer(name: string) {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      received.push(bytes.toString());
      socket.write(`${name} ${bytes}`);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return { port: typeof address === "object" && address !== null ? address.port : 0, received };
}

async function setUp() {
  const server = await startServer("one");
  const proxy = await startProxy(server.port);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const open = async () => {
    const socket = connect({ port: proxy.port, host: "127.0.0.1" });
    const answers: string[] = [];
    const closed = new Promise<string>((resolve) => {
      socket.on("error", ({ message }) => resolve(message));
      socket.on("close", () => resolve("closed"));
    });
    socket.on("data", (bytes) => answers.push(bytes.toString()));
    onTestFinished(() => void socket.destroy());
    await Promise.race([once(socket, "connect"), closed]);
    return { socket, answers, closed };
  };
  return { server, proxy, open };
}

describe("the proxy", () => {
  it("forwards both directions", async () => {
    const { open } = await setUp();
    const { socket, answers } = await open();
    socket.write("a");
    await expect.poll(() => answers).toEqual(["one a"]);
  });

  it("resets connections, also new ones", async () => {
    const { proxy, open } = await setUp();
    const { closed } = await open();
    proxy.set("reset");
    expect(await closed).toMatch(/ECONNRESET/);
    expect(await (await open()).closed).toMatch(/ECONNRESET|closed/);
  });

  it("half-open: the server gets the request, and the client no response until it is reset", async () => {
    const { server, proxy, open } = await setUp();
    const { socket, answers, closed } = await open();
    proxy.set("half-open");
    socket.write("a");
    await expect.poll(() => server.received).toEqual(["a"]);
    proxy.set("pass");
    expect(await closed).toMatch(/ECONNRESET/);
    expect(answers).toEqual([]);
  });

  it("hanging: the server gets nothing, and new connections are accepted", async () => {
    const { server, proxy, open } = await setUp();
    const { socket } = await open();
    proxy.set("hang");
    socket.write("a");
    const late = await open();
    late.socket.write("b");
    proxy.set("pass");
    expect(await late.closed).toMatch(/ECONNRESET/);
    expect(server.received).toEqual([]);
  });

  it("points new connections to another server", async () => {
    const { proxy, open } = await setUp();
    const { closed } = await open();
    proxy.pointTo((await startServer("two")).port);
    expect(await closed).toMatch(/ECONNRESET/);
    const { socket, answers } = await open();
    socket.write("a");
    await expect.poll(() => answers).toEqual(["two a"]);
  });
});
