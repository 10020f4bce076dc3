import type { Redeem } from "./code-driver.js";
import { exchangeOperation, exchangeScope, keyId, otherKeyId } from "./device-case.js";
import type { CodeCase, CodeEvent, CodeOutcome } from "./run-code-cases.js";
import type { Section } from "./section.js";

const minute = 60_000;
const bound = { popKeyId: keyId };
const invalid: CodeOutcome = { reason: "CODE_INVALID" };
const reused: CodeOutcome = { reason: "CODE_REUSED", revokes: true };
const granted: CodeOutcome = { granted: {} };
const honest: Redeem = {};

const row = (
  section: Section,
  title: string,
  history: readonly CodeEvent[],
  call: Redeem,
  outcome: CodeOutcome,
  given: Omit<CodeCase["given"], "history"> = {},
): CodeCase => ({ section, title, given: { ...given, history }, call, outcome });

const redemption = "RFC 6749 section 4.1.3";
const first = [
  row(redemption, "a grant and its refresh family", [], honest, granted),
  row(redemption, "a grant alone", [], honest, granted, { refreshable: false }),
  row(redemption, "an unknown code", [], { code: "unknown" }, invalid),
  row(redemption, "the code of another grant", [], { code: "of another grant" }, invalid),
  row(redemption, "another client", [], { by: "another client" }, invalid),
  row(redemption, "another tenant", [], { by: "another tenant" }, invalid),
  row(redemption, "another redirect URI", [], { redirectUri: "another" }, invalid),
  row("OAuth 2.1 section 4.1.3", "no redirect URI", [], { redirectUri: "none" }, granted),
  row("RFC 7636 section 4.6", "a wrong code verifier", [], { verifier: "another" }, invalid),
  row("RFC 7636 section 4.6", "after a wrong code verifier", [{ verifier: "another" }], honest, granted),
  row("RFC 8707 section 2.2", "another resource", [], { resource: "another" }, { reason: "RESOURCE_NOT_APPROVED" }),
  row("RFC 8707 section 2.2", "no resource", [], { resource: "none" }, granted),
  row(redemption, "an inactive person", [{ principal: "inactive" }], honest, { reason: "PRINCIPAL_DISABLED" }),
  row(redemption, "a client that may call nothing", [{ allowed: [] }], honest, { reason: "SCOPES_NOT_GRANTED" }),
  row(redemption, "the scopes that may be granted now", [{ allowed: [exchangeOperation] }], honest, {
    granted: { scopes: [exchangeScope] },
  }),
  row("RFC 6749 section 4.1.2", "the last millisecond", [{ passMs: minute - 1 }], honest, granted),
  row("RFC 6749 section 4.1.2", "a minute", [{ passMs: minute }], honest, invalid),
  row(
    "RFC 9449 section 10",
    "a proof of a key that was not announced",
    [],
    { proof: keyId },
    {
      granted: { popKeyId: keyId },
    },
  ),
  row("RFC 9449 section 10", "the announced key", [], { proof: keyId }, { granted: { popKeyId: keyId } }, bound),
  row("RFC 9449 section 10", "no proof of the key", [], honest, { reason: "PROOF_KEY_REQUIRED" }, bound),
  row("RFC 9449 section 10", "another key", [], { proof: otherKeyId }, { reason: "PROOF_KEY_REQUIRED" }, bound),
];

const again = "RFC 9700 section 2.1.1";
const used = [
  ...[true, false].flatMap((refreshable) => {
    const title = (text: string) => `${text}, ${refreshable ? "with" : "without"} a refresh token`;
    return [
      row(again, title("a retry"), [honest, { passMs: minute - 1 }], honest, "the first answer", { refreshable }),
      row(again, title("a minute later"), [honest, { passMs: minute }], honest, reused, { refreshable }),
      row(again, title("used by somebody else"), [honest], { retry: "another" }, reused, { refreshable }),
    ];
  }),
  row(again, "a retry by nobody in particular", [{ retry: "none" }], { retry: "none" }, reused),
  row(again, "without what identifies the retry", [honest], { retry: "none" }, reused),
  row(again, "by another client", [honest], { by: "another client" }, reused),
  row(again, "by another tenant", [honest], { by: "another tenant" }, invalid),
  row(again, "with a wrong code verifier", [honest], { verifier: "another" }, reused),
  row(again, "when the person is inactive", [honest, { principal: "inactive" }], honest, reused),
  row(again, "with its key", [{ proof: keyId }], { proof: keyId }, "the first answer", bound),
  row(again, "without its key", [{ proof: keyId }], { proof: otherKeyId }, reused, bound),
  row(again, "once its refresh token was used", [honest, "its first refresh token is used"], honest, reused),
  // Nothing is left to revoke.
  row(
    again,
    "when its family has ended",
    [honest, "its refresh family is revoked"],
    { retry: "another" },
    {
      reason: "CODE_REUSED",
    },
  ),
];

/** RFC 6749 section 4.1.3 and RFC 7636 section 4.6: the redemption of an authorization code. */
export const redeemAuthorizationCodeCases: readonly CodeCase[] = [...first, ...used];
