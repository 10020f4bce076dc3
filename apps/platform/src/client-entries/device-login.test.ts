import { ownCall } from "@platform-rpc/accounts/http/own-call";
import { inMemoryPlatform } from "@platform-rpc/accounts/testing/in-memory-platform";
import {
  type Clock,
  createPlatformClient,
  isPlatformError,
  waitForDeviceAuthorization,
} from "@platform-rpc/client/json";
import { publicOperations } from "@platform-rpc/server/host";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";

const scopes = ["vault.items:delete"];
const subject = { tenantId: "t-1", principalId: "p-1", oauthClientId: "c-1" };

/** Sets up the server's operations behind a slow `fetch`, with one clock for both sides. */
async function setUp() {
  const { operations, secrets, clock, pass, close } = await inMemoryPlatform();
  onTestFinished(close);
  const own = () => ownCall("test", secrets);
  const agent = () => ({ ...own(), actor: { ...own().actor, ...subject } });
  await operations.setPrincipal({ ...subject, active: true }, own());
  const allowedOperations = [...publicOperations.keys()];
  await operations.setOauthClient({ ...subject, name: "C", allowedOperations, enabled: true }, own());

  const clientClock: Clock = { now: clock.now, sleep: async (ms) => pass(Math.ceil(ms)), after: () => () => undefined };
  return {
    clock,
    pass,
    clientClock,
    async start() {
      const started = await operations.startDeviceAuthorization({ ...subject, scopes, popPublicJwk: "" }, own());
      return started.ok ? started : expect.unreachable("not started");
    },
    async approve(userCode: string) {
      const answered = await operations.answerDeviceAuthorization({ ...subject, userCode }, { approve: scopes }, own());
      return answered.ok;
    },
    exchange: (deviceCode: string, idempotencyKey: string) =>
      operations.exchangeDeviceCode({ deviceCode, idempotencyKey }, agent()),
  };
}

/** The network's effect on one poll: latency in milliseconds each way, and whether a message is lost. */
const network = fc.record({
  there: fc.nat({ max: 3_000 }),
  back: fc.nat({ max: 3_000 }),
  lost: fc.constantFrom("no", "no", "no", "request", "answer"),
});

const scenario = fc.record({
  networks: fc.array(network, { minLength: 1, maxLength: 12 }),
  approvedAfter: fc.option(fc.nat({ max: 700_000 }), { nil: undefined }),
  signal: fc.boolean(),
});

describe("RFC 8628 section 3.5: the client's wait against the server's rules", () => {
  it("receives slow_down only for a last poll sent early because the code expires, and always ends", async () => {
    const fixture = await setUp();
    const ends = new Set<string>();
    await fc.assert(
      fc.asyncProperty(scenario, async ({ networks, approvedAfter, signal }) => {
        const started = await fixture.start();
        const startedAt = fixture.clock.now();
        const polls: string[] = [];
        const delivered: string[] = [];
        let approved = false;

        const answer: typeof fetch = async (_, init) => {
          const { there, back, lost } = networks[polls.length % networks.length] ?? { there: 0, back: 0, lost: "no" };
          fixture.pass(there);
          if (!approved && approvedAfter !== undefined && fixture.clock.now() - startedAt >= approvedAfter) {
            approved = true;
            expect(await fixture.approve(started.userCode)).toBe(fixture.clock.now() - startedAt < 600_000);
          }
          if (lost === "request") {
            polls.push("lost");
            throw new TypeError("fetch failed");
          }
          const key = new Headers(init?.headers).get("Idempotency-Key") ?? "";
          const result = await fixture.exchange(started.deviceCode, key);
          fixture.pass(back);
          polls.push(result.ok ? result.status : result.reason);
          if (lost === "answer") throw new TypeError("fetch failed");
          delivered.push(polls.at(-1) ?? "");
          if (!result.ok) return new Response("{}", { status: 404 });
          return Response.json(bodyOf(result));
        };

        const client = createPlatformClient({
          baseUrl: "https://api.example",
          token: "token-1",
          fetch: answer,
          clock: fixture.clientClock,
        });
        const options = signal ? { signal: new AbortController().signal } : {};
        const ended = await waitForDeviceAuthorization(client, started, options).then(
          () => "approved",
          (error: unknown) => (isPlatformError(error) ? (error.reason ?? error.code) : "another error"),
        );
        ends.add(ended);
        expect(["approved", "EXPIRED_TOKEN", "MALFORMED_RESPONSE"]).toContain(ended);
        expect(ended === "approved").toBe(delivered.includes("approved"));
        expect(polls.slice(0, -1)).not.toContain("slow_down");
        expect(fixture.clock.now() - startedAt).toBeLessThanOrEqual(600_000 + 6_000);
      }),
      { numRuns: 150 },
    );
    expect(ends.size).toBeGreaterThan(1);
  });
});

type Exchanged = Awaited<ReturnType<Awaited<ReturnType<typeof setUp>>["exchange"]>>;

function bodyOf(result: Extract<Exchanged, { ok: true }>): Record<string, unknown> {
  const { status } = result;
  if (status === "approved") {
    const time = new Date(result.grant.issuedAt * 1000).toISOString();
    const brokerToken = { accessToken: result.brokerToken, issuedAt: time, expiresAt: time };
    return { status, tokenType: "Bearer", accessToken: result.accessToken, expiresInSeconds: 900, brokerToken };
  }
  if (!("intervalSeconds" in result)) return { status };
  return { status, expiresInSeconds: result.expiresInSeconds, intervalSeconds: result.intervalSeconds };
}
