import type { Rate } from "@platform-rpc/server/host";

export interface RouteLimits {
  /** The largest body, in bytes. */
  readonly bodyBytes: number;
  /** How often one network may call it. It is counted first, before anything is read. */
  readonly network: Rate;
  /** How often one account may call it, in addition, once the session is found. Absent: people use it before they are signed in. */
  readonly account?: Rate;
  /** The rate is counted in the memory of each process, because the route responds without the storage, or almost. Default: false. */
  readonly withoutStorage?: true;
}

const kib = 1024;

const oauthBodyBytes = 32 * kib;

/** People who share a network share its rate, so it is far above what one of them needs. */
const shared: Rate = { perMinute: 1200, burst: 600 };
/** A page, or a request of a script, of a signed-in person. */
const read = { bodyBytes: 0, network: shared, account: { perMinute: 300, burst: 150 } };
/** A page that needs no session. */
const page = { bodyBytes: 0, network: { perMinute: 600, burst: 300 } };
/** A change by a signed-in person. */
const change = { bodyBytes: 4 * kib, network: shared, account: { perMinute: 60, burst: 30 } };
/** A decision of a person about software, with the vaults that they choose: they may send all that the page lists. */
const decision = { ...change, bodyBytes: 16 * kib };
/** Files, and documents that are the same for everybody. */
const document = { bodyBytes: 0, network: { perMinute: 6000, burst: 1000 }, withoutStorage: true } as const;
/** Rejecting a probe costs as much as answering it. */
const health = { ...document, network: { perMinute: 60_000, burst: 10_000 } };
/** Each challenge is a record. */
const challenge = { bodyBytes: kib, network: { perMinute: 60, burst: 120 } };
/** A passkey with the keys that it unwraps. */
const passkeyBytes = 64 * kib;

export const healthLimits = {
  "GET /healthz": health,
  "GET /readyz": health,
  "OPTIONS /healthz": health,
  "OPTIONS /readyz": health,
  "OPTIONS /": health,
};

/**
 * The limits of every route of the accounts origin: a route that is not listed here cannot be served. A network is an IPv4 address, or
 * an IPv6 /64.
 */
export const routeLimits = {
  ...healthLimits,

  "GET /.well-known/oauth-authorization-server": document,
  "GET /.well-known/openid-configuration": document,
  "GET /oauth/jwks": document,
  "GET /docs/errors/:reason": document,
  // Each may wait for the metadata document of a client.
  "GET /oauth/authorize": { ...page, account: { perMinute: 60, burst: 60 } },
  "POST /oauth/authorize": decision,
  // Each is a record, for 10 minutes at most.
  "POST /oauth/par": { bodyBytes: oauthBodyBytes, network: { perMinute: 60, burst: 60 } },
  "POST /oauth/device_authorization": { bodyBytes: oauthBodyBytes, network: { perMinute: 60, burst: 60 } },
  // Devices poll it, and many of them may share a network.
  "POST /oauth/token": { bodyBytes: oauthBodyBytes, network: { perMinute: 1200, burst: 300 } },
  "POST /oauth/revoke": { bodyBytes: oauthBodyBytes, network: { perMinute: 120, burst: 60 } },
  // For brokers, which authenticate.
  "POST /oauth/introspect": { bodyBytes: oauthBodyBytes, network: { perMinute: 6000, burst: 1000 } },

  "GET /assets/:name": document,
  "GET /console/assets/:name": document,

  "GET /": page,
  "GET /sign-in": page,
  "GET /sign-up": page,
  "GET /device": page,
  "GET /account": page,
  "GET /console": read,
  "GET /console/*": read,

  // The page asks for one at once, for the passkeys that the browser suggests, and the person for another one.
  "POST /account/api/sign-in/begin": { ...challenge, network: { perMinute: 120, burst: 240 } },
  "POST /account/api/sign-in/finish": { ...challenge, bodyBytes: passkeyBytes },
  // New accounts are limited here, before the browser creates a passkey that would sign in nowhere. Finishing needs what was begun.
  "POST /account/api/sign-up/begin": { bodyBytes: 4 * kib, network: { perMinute: 2, burst: 10 } },
  "POST /account/api/sign-up/finish": { ...challenge, bodyBytes: passkeyBytes },
  "POST /sign-out": { ...page, bodyBytes: 4 * kib },

  "POST /device": decision,
  "POST /device/decision": decision,

  "GET /consent": read,
  "POST /consent": change,

  "GET /account/confirm-recovery-code": read,
  "GET /account/deleted": page,
  "GET /reset": page,

  // Every open page asks it every few seconds. Counting in the storage would cost more than the answer.
  "GET /account/api/session": { ...document, network: { perMinute: 12_000, burst: 1000 } },
  "GET /account/api/access": read,
  "GET /account/api/export": read,
  "POST /account/api/name": change,
  // Each deletes some of the items, and the page sends it until none is left.
  "POST /account/api/person/delete": { ...change, bodyBytes: kib, account: { perMinute: 120, burst: 60 } },
  "GET /account/api/delegations": read,
  "GET /account/api/activity": read,
  "GET /account/api/console": read,
  "GET /account/api/wrapped-keys": read,
  // A session has one live grant, and gets a new one every few minutes.
  "POST /account/api/token": { ...change, bodyBytes: kib },
  "POST /account/api/lock": { ...change, bodyBytes: kib },
  "POST /account/api/devices": change,
  "POST /account/api/access/end": change,
  "POST /account/api/access/end-all": change,
  "POST /account/api/delegations/change": change,
  "POST /account/api/passkeys/begin": { ...change, bodyBytes: kib, account: { perMinute: 10, burst: 20 } },
  "POST /account/api/passkeys/finish": { ...change, bodyBytes: passkeyBytes, account: { perMinute: 10, burst: 20 } },
  "POST /account/api/passkeys/rename": change,
  "POST /account/api/member-keys": change,
  "GET /account/api/vaults": read,
  "GET /account/api/unlocks/:unlockId": read,
  // With the keys of 200 vaults.
  "POST /account/api/unlocks/:unlockId": { ...change, bodyBytes: 128 * kib, account: { perMinute: 10, burst: 20 } },
  "GET /account/api/certificates": read,
  "POST /account/api/certificates/remove": { ...change, bodyBytes: kib },
  "POST /account/api/items/delete-for-ever": { ...change, bodyBytes: kib },
  // Each names all vaults that are exported, and reads and records each of them.
  "POST /account/api/exports": { ...change, bodyBytes: 16 * kib, account: { perMinute: 10, burst: 10 } },
  "GET /account/api/signing-key/:principalId": read,
  "POST /account/api/recovery-code/begin": { ...change, bodyBytes: 8 * kib, account: { perMinute: 5, burst: 10 } },
  "POST /account/api/recovery-code/finish": change,
} as const satisfies Readonly<Record<string, RouteLimits>>;

/** The limits of all other requests: those with an unknown path or method, and preflights. They get no more than an error. */
export const otherRequests: RouteLimits = {
  bodyBytes: 64 * kib,
  network: { perMinute: 600, burst: 300 },
  withoutStorage: true,
};
