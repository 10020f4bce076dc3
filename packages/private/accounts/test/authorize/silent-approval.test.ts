import { describe, expect, it, vi } from "vitest";
import { answerIn, deleteScope, readScope, startWebSite } from "./testing/code-site.js";

/** A request that is answered without a page, because the person has allowed the same before. */
async function startSilent(changes: { readonly unbounded?: boolean; readonly scope?: string } = {}) {
  const { unbounded = false, ...request } = changes;
  const started = await startWebSite();
  const { site, call, accountId, setClient, redeem, approve, authorize } = started;
  await setClient({ unbounded });
  expect((await redeem(await approve(request))).status).toBe(200);
  const person = { tenantId: "acme", principalId: accountId };
  const personCall = { ...call, actor: { ...call.actor, ...person } };
  const silent = async () => answerIn((await authorize({ ...request, prompt: "none" })).location);
  return { ...started, own: site.own, person, personCall, silent };
}

type Silent = Awaited<ReturnType<typeof startSilent>>;

/** Finds what the person takes back, and returns the function that does it. */
type TakeBack = (started: Silent) => Promise<() => Promise<unknown>>;

const end: TakeBack = async ({ own, person, personCall }) => {
  const families = (await own.listRefreshFamilies(person)).map(({ familyId }) => familyId);
  const grants = (await own.listGrants(person)).map(({ grantId }) => grantId);
  return () => Promise.all([...new Set([...families, ...grants])].map((id) => own.removeAccess(id, personCall)));
};
const narrow: TakeBack = async ({ own, person, personCall }) => {
  const narrower = (await own.listDelegations(person)).map(({ delegationId, bounds }) => ({
    delegationId,
    bounds: { ...bounds, vaults: ["v-other"] },
  }));
  return () => Promise.all(narrower.map((change) => own.changeDelegation(change, personCall)));
};

/** Takes something back just before the next code is stored. Returns the function that waits until that was done. */
async function justBeforeTheCode(started: Silent, takeBack: TakeBack) {
  const now = await takeBack(started);
  const { secrets } = started.site;
  const newCode = secrets.newAuthorizationCode;
  let done: Promise<unknown> | undefined;
  vi.spyOn(secrets, "newAuthorizationCode").mockImplementationOnce((grantId) => {
    // Calls are decided in the order in which they are made.
    done = now();
    return newCode(grantId);
  });
  return () => done;
}

const short = { scope: readScope };
const takenBack: readonly (readonly [string, Parameters<typeof startSilent>[0], TakeBack])[] = [
  ["has ended", {}, end],
  ["has narrowed", {}, narrow],
  ["has ended, without a refresh token", short, end],
  ["has narrowed, without a refresh token", short, narrow],
  ["has ended, without limits", { unbounded: true }, end],
  ["has ended, without limits and without a refresh token", { unbounded: true, ...short }, end],
];

describe.each(takenBack)("an access that the person %s", (_, changes, takeBack) => {
  it("gives no code without a page, also if that happens just before the code is stored", async () => {
    const started = await startSilent(changes);
    const done = await justBeforeTheCode(started, takeBack);
    expect(await started.silent()).toMatchObject({ error: "consent_required" });
    expect(await done()).not.toEqual([]);
  });

  it("gives no tokens for a code that was issued before", async () => {
    const started = await startSilent(changes);
    const { code = "" } = await started.silent();
    await (await takeBack(started))();
    const refused = await started.redeem(code);
    expect([refused.status, refused.body]).toEqual([400, expect.objectContaining({ error: "invalid_grant" })]);
  });
});

it("a code without a page does not renew an approval: its tokens end when the approval does", async () => {
  const { silent, redeem, site, own, person } = await startSilent({ unbounded: true });
  site.pass(10 * 60_000);
  const { code = "" } = await silent();
  expect((await redeem(code)).status).toBe(200);
  const ends = (await own.listRefreshFamilies(person)).map(({ expiresAt }) => expiresAt);
  expect([ends.length, new Set(ends).size]).toEqual([2, 1]);
});

const keptBack: readonly (readonly [string, Parameters<typeof startSilent>[0], TakeBack])[] = [
  ["has ended", {}, end],
  ["has ended, without limits and without a refresh token", { unbounded: true, ...short }, end],
];

describe.each(keptBack)(
  "an access that the person %s while they approve more for its software",
  (_, changes, takeBack) => {
    const more = { scope: deleteScope };

    it("keeps no scopes in the code, also if that happens just before the code is stored", async () => {
      const started = await startSilent(changes);
      const done = await justBeforeTheCode(started, takeBack);
      const form = { decision: "approve", scope: deleteScope };
      const { status, body } = await started.decide(started.authorizePath(more), form);
      expect([status, body]).toEqual([400, expect.stringContaining("Something changed in the meantime.")]);
      expect(await done()).not.toEqual([]);
      const tokens = await started.redeem(await started.approve(more, deleteScope));
      expect(tokens.body).toMatchObject({ scope: deleteScope });
    });

    it("keeps no scopes in the tokens for a code that was issued before", async () => {
      const started = await startSilent(changes);
      const code = await started.approve(more, deleteScope);
      await (await takeBack(started))();
      const refused = await started.redeem(code);
      expect([refused.status, refused.body]).toEqual([400, expect.objectContaining({ error: "invalid_grant" })]);
    });
  },
);

it("an approval of more keeps what was approved before, with the limits that the person chooses now", async () => {
  const started = await startSilent();
  const code = await started.approve({ scope: deleteScope }, deleteScope);
  await (await narrow(started))();
  expect((await started.redeem(code)).body).toMatchObject({
    scope: `${deleteScope} ${readScope}`,
    authorization_details: [{ vaults: [started.accountId] }],
  });
});
