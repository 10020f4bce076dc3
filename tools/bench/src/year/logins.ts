import { type Call, createMemoryKeyStore, createPlatform, type Platform, type Storage } from "@platform-rpc/server";
import { createClockWatch } from "@platform-rpc/server/host";

export const loginsAtOnce = 100;
export const timesAMonth = 6;

/** A month has 30 days. */
const pause = (30 / timesAMonth) * 24 * 60 * 60 * 1000;
const exchange = "platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization";
const scope = "identity.device_authorizations:exchange";
const owner = { tenantId: "acme", oauthClientId: "agent" } as const;
const approver = { tenantId: "acme", principalId: "user" } as const;

const call: Call = {
  actor: { ...owner, principalId: "agent", tokenId: "bench", operation: "bench", requestId: "bench" },
  wanted: () => true,
};

/** What one login took, in µs. */
export interface Cost {
  readonly elapsed: number;
  /** The CPU time of this process. */
  readonly cpu: number;
}

/** A year that passes as fast as its logins are made. */
export interface Year {
  /** Lets a month pass. Returns what its logins took, each time with the purge before them. */
  nextMonth(): Promise<readonly Cost[]>;
}

/** Creates a platform with a fake clock, a user and an OAuth client on a storage. */
export async function createYear(storage: Storage): Promise<Year> {
  const start = Date.now();
  let passed = 0;
  const clocks = { now: () => start + passed, wall: () => start + passed, monotonic: () => passed };
  const platform = await createPlatform({
    storage,
    keys: createMemoryKeyStore(),
    issuer: "https://id.example",
    audience: "https://api.example",
    brokerAudience: "https://broker.example",
    clock: clocks,
    clockWatch: createClockWatch({ storage, runId: crypto.randomUUID(), clocks }),
  });
  await platform.own.setOauthClient({ ...owner, name: "Agent", allowedOperations: [exchange], enabled: true }, call);
  await platform.own.setPrincipal({ ...approver, active: true }, call);
  const job = platform.jobs.find(({ name }) => name === "purge");
  if (job === undefined) throw new Error("The platform has no job purge.");

  return {
    async nextMonth() {
      const costs: Cost[] = [];
      for (let time = 0; time < timesAMonth; time += 1) {
        const begun = performance.now();
        const before = process.cpuUsage();
        passed += pause;
        await job.run();
        await Promise.all(Array.from({ length: loginsAtOnce }, (_, login) => logIn(platform, login % 10 === 0)));
        const { user, system } = process.cpuUsage(before);
        const elapsed = (performance.now() - begun) * 1000;
        costs.push({ elapsed: elapsed / loginsAtOnce, cpu: (user + system) / loginsAtOnce });
      }
      return costs;
    },
  };
}

async function logIn({ own }: Platform, revoke: boolean): Promise<void> {
  const started = await own.startDeviceAuthorization({ ...owner, scopes: [scope], popPublicJwk: "" }, call);
  if (!started.ok) throw new Error(started.reason);
  const { deviceCode, userCode } = started;
  const input = { deviceCode, idempotencyKey: undefined };
  await own.exchangeDeviceCode(input, call);
  await own.answerDeviceAuthorization({ ...approver, userCode }, { approve: [scope] }, call);
  const exchanged = await own.exchangeDeviceCode(input, call);
  if (!exchanged.ok || exchanged.status !== "approved") throw new Error("A login was not approved.");
  if (revoke) await own.revokeToken(exchanged.grant.accessTokenId, call);
}
