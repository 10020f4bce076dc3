import { deleteScope, exchangeOperation, exchangeScope, keyId, otherKeyId, otherScope } from "./device-case.js";
import type { Refresh, Revoke } from "./family-driver.js";
import type { FamilyCase, FamilyEvent, FamilyOutcome } from "./run-family-cases.js";
import type { Section } from "./section.js";

const second = 1000;
const minute = 60 * second;
const day = 24 * 60 * minute;
/** How long a second process of a program without a key may be late. */
const shared = 30 * second;
const life = 30 * day;

const refresh = (generation: number, more: Omit<Refresh, "refresh"> = {}): Refresh => ({
  refresh: generation,
  ...more,
});
const use = (generation: number): FamilyEvent => ({ use: generation });
const pass = (passMs: number): FamilyEvent => ({ passMs });
const back = (stepBackMs: number): FamilyEvent => ({ stepBackMs });
const revoke = (by: Revoke["revoke"], who?: Revoke["by"]): Revoke => ({ revoke: by, by: who });
/** The first refresh token, sent by a caller that does not have the key of the family. */
const thief = (generation: number): Refresh => refresh(generation, { proof: "" });

const fresh = (generation: number): FamilyOutcome => ({ generation, access: "new" });
const same = (generation: number): FamilyOutcome => ({ generation, access: "same" });
const stolen: FamilyOutcome = { reason: "REFRESH_TOKEN_REUSED", why: "replaced refresh token used again" };
const keyRequired: FamilyOutcome = { reason: "PROOF_KEY_REQUIRED" };
const invalid: FamilyOutcome = { reason: "REFRESH_TOKEN_INVALID" };

/** A row for a family without a key, and one for a family with a key, of which only the client can prove that it has it. */
const order = (
  title: string,
  history: readonly FamilyEvent[],
  call: Refresh,
  withoutKey: FamilyOutcome,
  withKey = withoutKey,
): readonly FamilyCase[] =>
  ["", keyId].map((popKeyId) => ({
    section: "DECISIONS section 9",
    title: `${title}, ${popKeyId === "" ? "without" : "with"} a key`,
    given: { popKeyId, history },
    call,
    outcome: popKeyId === "" ? withoutKey : withKey,
  }));

/** What a lost answer, and what a thief, who has the first refresh token and never the key, leads to. */
const orders = [
  order("the first refresh token", [], refresh(1), fresh(2)),
  order("the second refresh token", [refresh(1), pass(minute)], refresh(2), fresh(3)),
  order("repeated at once", [refresh(1)], refresh(1), same(2)),
  order("repeated before the access token expires", [refresh(1), pass(900 * second - 1)], refresh(1), same(2)),
  order("repeated when the access token has expired", [refresh(1), pass(900 * second)], refresh(1), fresh(2)),
  order("repeated after a week", [refresh(1), pass(7 * day)], refresh(1), fresh(2)),
  order("repeated after the use of the access token from before", [refresh(1), use(1)], refresh(1), same(2)),
  order("a second window, just in time", [refresh(1), use(2), pass(shared - 1)], refresh(1), same(2)),
  order("a second window, too late", [refresh(1), use(2), pass(shared)], refresh(1), stolen, same(2)),
  order("a second window, after the use of the successor", [refresh(1), refresh(2)], refresh(1), same(2), stolen),
  order(
    "a second window, too late after the use of the successor",
    [refresh(1), pass(shared - 1), refresh(2), pass(1)],
    refresh(1),
    stolen,
  ),
  order("a second window, with the clock set back", [refresh(1), use(2), back(minute)], refresh(1), stolen, fresh(2)),
  order("a second window, after the end of the family", [refresh(1), revoke("its principal")], refresh(1), invalid),
  order("a thief, before anybody uses a new token", [refresh(1)], thief(1), same(2), stolen),
  order("a thief, just after the use of the new access token", [refresh(1), use(2)], thief(1), same(2), stolen),
  order("a thief, after the use of the new access token", [refresh(1), use(2), pass(shared)], thief(1), stolen),
  order("the client, after a thief", [thief(1)], refresh(1), same(2), fresh(2)),
  order(
    "the client, after a thief used the new access token",
    [thief(1), use(2), pass(shared)],
    refresh(1),
    stolen,
    fresh(2),
  ),
  order(
    "a thief at the pace of the client",
    [refresh(1), thief(1), refresh(2), use(3), pass(shared)],
    thief(2),
    stolen,
    // The second call of the thief has ended the family.
    invalid,
  ),
  order("the current token, without the key", [], thief(1), fresh(2), keyRequired),
  order(
    "a proof of another key",
    [],
    refresh(1, { proof: otherKeyId }),
    { ...fresh(2), popKeyId: otherKeyId },
    keyRequired,
  ),
  order(
    "a replaced token with another key",
    [refresh(1)],
    refresh(1, { proof: otherKeyId }),
    { ...fresh(2), popKeyId: otherKeyId },
    stolen,
  ),
  order("a generation that the storage has lost", [], refresh(4), fresh(5)),
  order(
    "with more access tokens than may be valid at a time",
    Array.from({ length: 17 }, (_, replaced) => refresh(replaced + 1)),
    refresh(18),
    fresh(19),
  ),
  order("an access token issued in the future", [pass(2 * day), refresh(1), back(day)], refresh(1), fresh(2)),
].flat();

const row = (
  section: Section,
  title: string,
  history: readonly FamilyEvent[],
  call: Refresh | Revoke,
  outcome: FamilyOutcome,
): FamilyCase => ({ section, title, given: { history }, call, outcome });

const foreign = { reason: "REFRESH_TOKEN_REUSED", why: "refresh token used by another OAuth client" } as const;
const notGranted = { reason: "SCOPES_NOT_GRANTED" } as const;
const narrowed = { allowed: [exchangeOperation] };
const asksAgain = "RFC 6749 section 6";
const questions = [
  row(asksAgain, "another OAuth client", [], refresh(1, { by: "another client" }), foreign),
  row(asksAgain, "another tenant", [], refresh(1, { by: "another tenant" }), invalid),
  row(asksAgain, "a disabled client", ["the client is disabled"], refresh(1), { reason: "OAUTH_CLIENT_DISABLED" }),
  row(asksAgain, "an inactive principal", [{ principal: "inactive" }], refresh(1), { reason: "PRINCIPAL_DISABLED" }),
  row(asksAgain, "a scope that was not approved, with another", [], refresh(1, { scopes: [deleteScope, otherScope] }), {
    ...fresh(2),
    scopes: [deleteScope],
  }),
  row(asksAgain, "only a scope that was not approved", [], refresh(1, { scopes: [otherScope] }), notGranted),
  row(asksAgain, "no scope may be granted", [{ allowed: [] }], refresh(1), notGranted),
  row(asksAgain, "fewer scopes", [], refresh(1, { scopes: [deleteScope] }), { ...fresh(2), scopes: [deleteScope] }),
  row(
    asksAgain,
    "a retry with other scopes",
    [refresh(1, { scopes: [deleteScope] })],
    refresh(1, { scopes: [exchangeScope] }),
    {
      ...fresh(2),
      scopes: [exchangeScope],
    },
  ),
  row(asksAgain, "a narrowed allowlist", [narrowed], refresh(1), { ...fresh(2), scopes: [exchangeScope] }),
];

const lives = [
  row("DECISIONS section 9", "the last second of 30 days", [pass(life - second)], refresh(1), {
    ...fresh(2),
    lifeSeconds: 1,
  }),
  row("DECISIONS section 9", "30 days", [pass(life)], refresh(1), invalid),
  row("RFC 7009 section 2", "its OAuth client", [], revoke("its OAuth client"), { revoked: true }),
  row("RFC 7009 section 2", "another OAuth client", [], revoke("its OAuth client", "another client"), {
    revoked: false,
  }),
  row("RFC 7009 section 2", "the person who approved", [], revoke("its principal"), { revoked: true }),
  row("RFC 7009 section 2", "another person", [], revoke("its principal", "another person"), { revoked: false }),
  row(
    "RFC 7009 section 2",
    "the person of that name of another tenant",
    [],
    revoke("its principal", "another tenant"),
    { revoked: "before" },
  ),
  row("RFC 7009 section 2", "a family that has ended", [pass(life)], revoke("its principal", "another person"), {
    revoked: "before",
  }),
  row("RFC 7009 section 2", "a refresh after it", [revoke("its principal")], refresh(1), invalid),
  row(
    "RFC 7009 section 2",
    "a refresh after it, with the clock set back",
    [pass(61 * minute), revoke("its OAuth client"), back(61 * minute)],
    refresh(1),
    invalid,
  ),
];

/** DECISIONS section 9 and RFC 7009: what refresh tokens return, and the revocation of their family. */
export const rotateRefreshTokenCases: readonly FamilyCase[] = [...orders, ...questions, ...lives];
