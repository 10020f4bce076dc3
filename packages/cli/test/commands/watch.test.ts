import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { listen, platform, signedIn } from "../testing/run-program.js";

// The client's retries wait a random time.
beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0));
afterEach(() => void vi.restoreAllMocks());

interface ChangesRequest {
  readonly afterSequence?: number;
  readonly waitSeconds?: number;
}

/** A server with one more change in each response. It can be stopped and started again on its port. */
async function changingVault() {
  const requests: ChangesRequest[] = [];
  let sequence = 0;
  const state = { status: 200, stuck: false, answered: (_sequence: number): unknown => undefined };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    requests.push(JSON.parse(await text(request)));
    const json = (body: object) =>
      response
        .writeHead(state.status, { "Content-Type": "application/json", Connection: "close" })
        .end(JSON.stringify(body));
    if (state.status !== 200) return void json({ code: "permission_denied", message: "no" });
    sequence += 1;
    const item = { vaultId: "v-1", itemId: `i-${sequence}`, kind: "login", version: 1 };
    await state.answered(sequence);
    json({
      changes: [{ sequence, item }],
      cursor: { vaultId: "v-1", sequence: state.stuck ? 1 : sequence },
      hasMore: false,
    });
  };
  let { server, url } = await listen(answer);
  return {
    url,
    state,
    requests,
    stop: () => void server.close(),
    async start() {
      ({ server } = await listen(answer, Number(new URL(url).port)));
    },
  };
}

async function watch(vault: Awaited<ReturnType<typeof changingVault>>, ...words: string[]) {
  const ctrlC = new AbortController();
  const slept: number[] = [];
  const folder = await signedIn(vault.url);
  const ended = platform(
    ["watch", "--vault", "v-1", ...words],
    { PLATFORM_CONFIG_DIR: folder },
    {
      signal: ctrlC.signal,
      async sleep(ms) {
        slept.push(ms);
        if (slept.length === 6) await vault.start();
      },
    },
  );
  return { ended, ctrlC, slept };
}

describe("watch, when the server is down for a while", () => {
  it("continues from its position, and says once that it lost the connection and once that it is back", async () => {
    const vault = await changingVault();
    const { ended, ctrlC, slept } = await watch(vault);
    vault.state.answered = (sequence) => {
      if (sequence === 2) vault.stop();
      if (sequence === 4) ctrlC.abort();
    };
    const { code, out, err } = await ended;
    expect(code).toBe(130);
    expect(out.trim().split("\n")).toEqual([1, 2, 3].map((n) => `${n}  changed  i-${n}  version 1`));
    expect(err.split("\n")).toEqual([
      "The platform cannot be reached (NETWORK_ERROR). Trying again until it can; Ctrl+C ends the watch.",
      "Connected again.",
      "To continue from here: platform watch --vault v-1 --cursor 3",
      "",
      "Canceled.",
      "",
    ]);
    expect(slept).toHaveLength(6);
    for (const [n, ms] of slept.entries()) {
      const most = Math.min(30_000, 1000 * 2 ** n);
      expect(ms).toBeGreaterThanOrEqual(most / 2);
      expect(ms).toBeLessThanOrEqual(most);
    }
    const [, , third, fourth] = vault.requests;
    expect(third).toMatchObject({ afterSequence: 2 });
    expect(third?.waitSeconds ?? 0).toBe(0);
    expect(fourth).toMatchObject({ afterSequence: 3, waitSeconds: 25 });
  });
});

describe("watch ends", () => {
  it("with 5 if the platform cannot be reached at its start", async () => {
    const folder = await signedIn("http://127.0.0.1:2");
    const { code, out } = await platform(["watch", "--vault", "v-1"], { PLATFORM_CONFIG_DIR: folder });
    expect([code, out]).toEqual([5, ""]);
  });

  it("after an error that stays, such as a permission that was removed", async () => {
    const vault = await changingVault();
    const { ended, slept } = await watch(vault);
    vault.state.answered = (sequence) => {
      if (sequence === 2) queueMicrotask(() => (vault.state.status = 403));
    };
    const { code, err } = await ended;
    expect([code, slept]).toEqual([1, []]);
    expect(err).not.toContain("Trying again");
  });

  it("after changes that do not continue the ones before, which a server could send forever", async () => {
    const vault = await changingVault();
    vault.state.stuck = true;
    const { ended } = await watch(vault);
    const { code, out, err } = await ended;
    expect([code, out]).toEqual([1, "1  changed  i-1  version 1\n"]);
    expect(err).toContain("The server sent changes that do not continue the ones before.");
    expect(vault.requests).toHaveLength(2);
  });
});
