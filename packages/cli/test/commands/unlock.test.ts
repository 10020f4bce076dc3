import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createWriterKeys } from "@platform-rpc/client/crypto";
import { certify, writerIdOf } from "@platform-rpc/items/unlock/certificate";
import { handOver } from "@platform-rpc/items/unlock/hand-over";
import { personCode, type UnlockRequest } from "@platform-rpc/items/unlock/unlock-code";
import { describe, expect, it } from "vitest";
import { listen, platform, signedIn } from "../testing/run-program.js";

/** A token with the claims that the program reads. It is not verified here. */
const accessToken = ["e30", { sub: "ada", tenant_id: "acme", client_id: "platform-cli", scope: "", exp: 0 }, "x"]
  .map((part) => (typeof part === "string" ? part : Buffer.from(JSON.stringify(part)).toString("base64url")))
  .join(".");

it("a login with limits gets no keys, and is told why", async () => {
  const { url } = await listen((_request, response) => {
    const debug = { reason: "VAULT_NOT_FOUND", domain: "platform.v1", metadata: {} };
    const details = [{ type: "google.rpc.ErrorInfo", debug }];
    response
      .writeHead(404, { "Content-Type": "application/json" })
      .end(JSON.stringify({ code: "not_found", message: "The vault does not exist.", details }));
  });
  const folder = await signedIn(url, { accessToken });
  const { code, err } = await platform(["unlock"], { PLATFORM_CONFIG_DIR: folder });
  expect([code, err]).toEqual([1, expect.stringContaining("Your login has limits, and gets no keys of vaults.")]);
});

async function newKeys() {
  const { privateKey, publicKey } = await createWriterKeys();
  const { x = "" } = await crypto.subtle.exportKey("jwk", publicKey);
  return { privateKey, x };
}

const place = { tenantId: "acme", accountId: "ada" };
const [person, server, program] = [await newKeys(), await newKeys(), await newKeys()];
const certificate = await certify(program.x, place, person.privateKey);

/** A platform where a person answers each unlock at once. */
async function startUnlocks() {
  const state = {
    /** Whose key arrives: that of the person, or one of a server that deceives the program. */
    arrives: person,
    removed: [] as string[],
    request: undefined as UnlockRequest | undefined,
  };
  const handedOver = async (request: UnlockRequest | undefined) => {
    if (request === undefined) return expect.unreachable();
    const { privateKey, x: personKey } = state.arrives;
    const handed = await handOver(request, { personKey: privateKey, vaults: [], removed: state.removed });
    return { state: "handed_over", handOver: JSON.stringify(handed), personKey, certificates: [certificate] };
  };
  const { url } = await listen(async (request, response) => {
    const issuer = `http://${request.headers.host}`;
    if (request.method === "GET") {
      const endpoints = { authorization_endpoint: `${issuer}/oauth/authorize`, jwks_uri: `${issuer}/jwks` };
      const metadata = { issuer, ...endpoints, broker_audience: "https://broker.example" };
      response.end(JSON.stringify(metadata));
      return;
    }
    const body = JSON.parse(await text(request));
    const name = request.url?.split("/").at(-1);
    if (name === "RequestUnlock") state.request = { ...place, ...body };
    const answer = name === "GetUnlock" ? await handedOver(state.request) : {};
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(answer));
  });
  const folder = await signedIn(url, { accessToken, scopes: ["vault.items:read", "vault.items:use"] });
  const unlockedFile = async () => JSON.parse(await readFile(join(folder, "unlocked.json"), "utf8"));
  /** Runs the program until it sleeps, where these lines are typed. "code" is the code that the page of the person shows. */
  const run = (words: readonly string[], typed: readonly string[]) => {
    const left = [...typed];
    const readLine = async () => {
      const line = left.shift();
      return line === "code" && state.request ? personCode(state.request, person.x) : line;
    };
    const end = new AbortController();
    const sleep = async () => end.abort();
    return platform(words, { PLATFORM_CONFIG_DIR: folder }, { readLine, sleep, signal: end.signal });
  };
  return {
    state,
    run,
    unlock: (typed: readonly string[] = [], ...words: string[]) => run(["unlock", ...words], typed),
    files: () => readdir(folder),
    /** Returns until when it is unlocked, in milliseconds since the epoch. */
    unlockedUntil: async () => Date.parse((await unlockedFile()).expiresAt),
    /** Returns the ids of those whose items are verified. */
    async writers(): Promise<string[]> {
      const { writers } = await unlockedFile();
      return writers.map(({ writerId }: { readonly writerId: string }) => writerId);
    },
  };
}

it("platform broker says where it cannot listen, and unlocks for the time of --for when it can", async () => {
  const { run, unlockedUntil, files } = await startUnlocks();
  const { port } = new URL((await listen(() => {})).url);
  const runAt = (...address: string[]) => run(["broker", "--for", "2h", ...address], ["code"]);
  const message = `The broker cannot listen on 127.0.0.1, port ${port} (EADDRINUSE). Choose another port.\n`;
  expect(await runAt("--port", port)).toMatchObject({ code: 1, err: message });
  expect((await runAt("--host", "192.0.2.1")).err).toContain("(EADDRNOTAVAIL). It is not an address of this machine.");
  expect(await files()).not.toContain("unlocked.json");
  const from = Date.now();
  expect(await runAt("--port", "0")).toMatchObject({ code: 0 });
  const lifeMs = (await unlockedUntil()) - from;
  expect(lifeMs).toBeGreaterThanOrEqual(2 * 3_600_000);
  expect(lifeMs).toBeLessThanOrEqual(2 * 3_600_000 + Date.now() - from);
});

describe("the key of a person", () => {
  it("is confirmed at the first unlock with the code that the page shows, and never again", async () => {
    const { unlock, writers } = await startUnlocks();
    const { code, out } = await unlock(["1234", "code"], "--json");
    const [, ...lines] = out.trim().split("\n");
    expect([code, lines.map((line) => JSON.parse(line))]).toEqual([
      0,
      [{ asks: "personCode" }, { expiresAt: expect.any(String), vaults: [], leftOut: [] }],
    ]);
    expect(await unlock()).toMatchObject({ code: 0 });
    expect(await writers()).toEqual(["ada", await writerIdOf(program.x)]);
  });

  it.each([
    ["another key than that of the page arrives", server, ["code"], "The page shows another code"],
    ["another code is typed", person, ["0".repeat(16)], "The page shows another code"],
    ["nobody types a code", person, [], "write the code to its standard input, as one line."],
  ])("that is not confirmed unlocks nothing, and is not remembered: %s", async (_, arrives, typed, problem) => {
    const { state, unlock, files } = await startUnlocks();
    state.arrives = arrives;
    expect(await unlock(typed)).toMatchObject({ code: 1, err: expect.stringContaining(problem) });
    expect((await files()).toSorted()).toEqual(["session.json", "settings.json", "signing-key.json"]);
  });

  it("signs which certificates are removed: one that is listed again counts no more, also if a page does not know", async () => {
    const { state, unlock, writers } = await startUnlocks();
    for (const removed of [[program.x], []]) {
      state.removed = removed;
      await unlock(["code"]);
      expect(await writers()).toEqual(["ada"]);
    }
  });
});
