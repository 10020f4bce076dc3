import { connect } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { startStub } from "./start-stub.js";
import { serveTestsOver } from "./test-server.js";

serveTestsOver("tls");
const test = await startStub(() => {}, { limits: { receiveTimeoutMs: 100 } });
afterAll(test.close);

const closed = (port: number, bytes: string) =>
  new Promise<string>((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" }, () => socket.write(bytes));
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk;
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(received));
  });

describe("a listener with a certificate", () => {
  it("closes a connection that sends plain HTTP, and serves the next one", async () => {
    expect(await closed(test.port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")).toBe("");
    expect((await test.send({ body: {} })).status).toBe(200);
  });

  it("closes a connection whose handshake takes longer than receiveTimeoutMs", async () => {
    expect(await closed(test.port, "")).toBe("");
  });

  it("does not wait for TLS handshakes when it stops", async () => {
    const patient = await startStub(() => {}, { limits: { receiveTimeoutMs: 3_600_000 } });
    const stranger = closed(patient.port, "");
    expect((await patient.send({ body: {} })).status).toBe(200);
    await patient.listener.close();
    expect(await stranger).toBe("");
  });
});
