import { afterAll, describe, expect, it } from "vitest";
import { expectRpcError } from "./expect-rpc-error.js";
import { startPlatform } from "./start-platform.js";
import { startStub } from "./start-stub.js";
import { deleteItemPath, exchangePath } from "./wire-request.js";

const test = await startPlatform({ limits: { receiveTimeoutMs: 200 } });
afterAll(test.close);

describe("DECISIONS 6: X-Request-Id", () => {
  it("a valid one is kept in the response, in ErrorInfo and in the log", async () => {
    const answer = await test.deleteItem({}, {}, { headers: { "X-Request-Id": "trace:1" } });
    expectRpcError(answer, "INVALID_FIELD");
    expect(answer.header("x-request-id")).toBe("trace:1");
    expect(await test.lineOf("trace:1")).toEqual({
      level: 30,
      time: expect.any(Number),
      msg: "request",
      requestId: "trace:1",
      operation: "platform.v1.VaultService/DeleteItem",
      tenantId: "t-1",
      status: 400,
      code: "invalid_argument",
      reason: "INVALID_FIELD",
      durationMs: expect.any(Number),
    });
  });
});

describe("onRequestEnd", () => {
  it("is called with the fields of the log line; a hook that throws or rejects is ignored", async () => {
    const ends: unknown[] = [];
    const hooked = await startStub(() => {}, {
      onRequestEnd(end) {
        ends.push(end);
        if (ends.length === 1) throw new Error("a hook failed");
        return Promise.reject(new Error("a hook failed later"));
      },
    });
    for (const headers of [{ "X-Request-Id": "r-1" }, { "X-Request-Id": "r-2", "Connect-Protocol-Version": "2" }]) {
      await hooked.send({ body: {}, headers });
      const { level, time, msg, ...fields } = { level: 0, time: 0, ...(await hooked.lineOf(headers["X-Request-Id"])) };
      expect(ends.at(-1)).toEqual(fields);
    }
    await hooked.close();
  });
});

describe("W3C Trace Context: traceparent", () => {
  it("its trace id is in the log line, of calls and of rejected requests", async () => {
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    for (const [requestId, version] of [
      ["traced-1", "1"],
      ["traced-2", "2"],
    ] as const) {
      const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
      const headers = { "X-Request-Id": requestId, traceparent, "Connect-Protocol-Version": version };
      await test.deleteItem({}, {}, { headers });
      expect(await test.lineOf(requestId)).toMatchObject({ traceId, traceSampled: true });
    }
  });
});

describe("SPEC 5 and DECISIONS 5: no query, header, code, token or body is ever logged, or sent back", () => {
  it("in whatever part of a request it is sent", async () => {
    const { accessToken } = await test.issue();
    const itemId = await test.putItem("canary-item");
    const canaries = {
      token: accessToken,
      code: "pdc_canary-code",
      key: "canary-idempotency-key",
      body: "canary-in-the-body",
      query: "canary-in-the-query",
      header: "canary-in-a-header",
    };
    const { token, code, key, body, query, header } = canaries;
    const bearer = { Authorization: `Bearer ${token}`, "X-Other": header, "Idempotency-Key": key };
    const answers = [
      await test.send({ headers: bearer, body: { vaultId: "v-1", itemId, baseVersion: 1 } }),
      await test.send({ headers: bearer, body: { vaultId: body, itemId: `${body} `, baseVersion: 1 } }),
      await test.send({ headers: bearer, body: { vaultId: "v-1", itemId: [body], baseVersion: body } }),
      await test.send({ headers: bearer, body: `{"${body}":` }),
      await test.send({ headers: bearer, target: exchangePath, body: { deviceCode: code } }),
      await test.send({ headers: { ...bearer, "X-Request-Id": token }, body: {} }),
      await test.send({ headers: { ...bearer, Authorization: `Bearer x${token}` } }),
      await test.send({ headers: { ...bearer, Authorization: token } }),
      await test.send({ headers: { ...bearer, "Content-Type": header, Origin: header } }),
      await test.send({ headers: { ...bearer, "Connect-Timeout-Ms": header } }),
      await test.send({ headers: { ...bearer, Expect: header } }),
      await test.send({ headers: { ...bearer, Host: `[${header}` } }),
      await test.send({ headers: bearer, target: `${deleteItemPath}?access_token=${query}` }),
      await test.send({ headers: bearer, target: `${deleteItemPath}?x=${token}` }),
      await test.send({ headers: bearer, target: `/${query}?token=${token}` }),
      await test.send({ headers: bearer, target: deleteItemPath, verb: "GET" }),
    ];
    const slow = test.connect();
    slow.send(`POST /${query} HTTP/1.1\r\nAuthorization: Bearer ${token}\r\n`);
    answers.push(await slow.answer());
    const bad = test.connect();
    bad.send(`POST /${query} HTTP/1.1\r\nAuthorization: Bearer ${token}\r\n${header}\r\n\r\n${body}`);
    answers.push(await bad.answer());

    for (const { headers } of answers) {
      await test.lineOf(headers.find(([name]) => name === "x-request-id")?.[1] ?? "");
    }
    const told = answers.map(({ headers, body }) => JSON.stringify(headers) + body);
    for (const canary of Object.values(canaries)) {
      expect(test.logText()).not.toContain(canary);
      expect(test.logText()).not.toContain(canary.slice(-40));
      for (const answer of told) expect(answer).not.toContain(canary);
    }
    expect(test.logText().trim().split("\n").length).toBeGreaterThanOrEqual(answers.length);
  });
});
