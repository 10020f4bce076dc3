import type { ChangeKind } from "../model/finding.ts";

export interface ChangeRule {
  readonly kind: ChangeKind;
  /** Who notices, and how. */
  readonly effect: string;
  /** What to do: instead of a breaking change, or together with another one. */
  readonly advice: string;
}

const v2 = "belongs in platform.v2, served in parallel with v1 for at least 12 months";

const breaking = (effect: string, advice: string): ChangeRule => ({ kind: "breaking", effect, advice });

const additive = (effect: string): ChangeRule => ({
  kind: "additive",
  effect,
  advice: "Name the change in a changeset: `pnpm changeset`, with @platform-rpc/types as minor.",
});

const documentation = (effect: string, advice: string): ChangeRule => ({ kind: "documentation", effect, advice });

const keep = (what: string) => `Keep the ${what} and mark it \`deprecated\`. A contract without it ${v2}.`;

/** Every kind of change, with its class. docs/contract-rules.md is generated from it. */
export const changeRules = {
  "package-added": additive("Callers may use a new package."),
  "package-removed": breaking("Every call of the package fails.", `Keep the package. Its successor ${v2}.`),
  "operation-added": additive("Callers may use a new operation."),
  "operation-removed": breaking(
    "Every call of the operation fails with OPERATION_UNKNOWN.",
    `Keep the operation and mark it \`deprecated\` with a sunset at least 180 days later. A contract without it ${v2}.`,
  ),
  "operation-type-changed": breaking(
    "Callers send or parse another message than the operation uses.",
    `Keep the request and response types, and add a new operation. A replacement ${v2}.`,
  ),
  "visibility-narrowed": breaking(
    "The operation is unknown on the public listener: the calls of integrators fail.",
    `Keep the operation public and deprecate it. A contract without it ${v2}.`,
  ),
  "visibility-widened": additive("Integrators may call an operation that was private."),
  "scope-added": breaking(
    "No token in use has the new scope: calls fail with INSUFFICIENT_SCOPE until users consent again.",
    `Keep the scopes. An operation that needs more scopes is a new operation; a replacement ${v2}.`,
  ),
  "scope-removed": additive("Tokens with the old scopes still work; fewer scopes are enough."),
  "retry-safety-lowered": breaking(
    "Released clients still retry a call whose response was lost, so it may take effect twice.",
    `Keep the retry safety. A less safe operation ${v2}.`,
  ),
  "retry-safety-raised": additive("New clients may retry more than before."),
  "deprecation-announced": additive("Callers should migrate; documents and clients mark it as deprecated."),
  "deprecation-withdrawn": additive("Callers need not migrate; those who did are not affected."),
  "sunset-brought-forward": breaking(
    "The operation ends before the day by which callers planned to migrate.",
    "Keep the announced day, or set a later one.",
  ),
  "sunset-put-off": additive("Callers have more time to migrate."),
  "sunset-too-soon": breaking(
    "Callers have less than 180 days to migrate.",
    "Keep the operation for 180 days from today: set a later `sunset_on`.",
  ),
  "operation-reason-added": additive("The operation may fail in one more way."),
  "operation-reason-removed": breaking(
    "Callers who handle this reason of the operation get another one that they do not expect.",
    `Keep the reason in the operation's \`errors\` and keep using it. An operation that fails differently ${v2}.`,
  ),
  "message-added": additive("Callers may use a new type."),
  "message-removed": breaking("Code that uses the type does not compile.", keep("message")),
  "field-added": additive("Callers ignore fields that they do not know, and need not send this one."),
  "required-field-added": breaking(
    "No existing caller sends the new field: every request fails with INVALID_FIELD.",
    `Keep the request valid without the field: no constraint that rejects an absent or empty value. If the field is essential, it ${v2}.`,
  ),
  "field-removed": breaking(
    "The field is missing from responses, and the values that callers send are ignored or rejected.",
    keep("field"),
  ),
  "field-renamed": breaking(
    "JSON identifies fields by name: the old name is missing from responses and unknown in requests.",
    `Keep the old name. Add a field with the new name, fill both, and mark the old one \`deprecated\`. A contract with only the new name ${v2}.`,
  ),
  "field-renumbered": breaking(
    "Stored or forwarded binary messages are misread.",
    "Keep the number of the field. Give the next free number to new fields.",
  ),
  "field-type-changed": breaking(
    "Callers parse the old type: their code does not compile, or misreads the value.",
    `Keep the type. Add a field of the new type, fill both, and mark the old one \`deprecated\`. A contract with only the new field ${v2}.`,
  ),
  "presence-changed": breaking(
    "Callers who rely on the field get `undefined`, or cannot distinguish absent from empty.",
    `Keep the field's presence, and add a new field with the other one. A replacement ${v2}.`,
  ),
  "oneof-added": additive("Callers may use the new alternatives."),
  "oneof-removed": breaking(
    "Code that switches over the alternatives does not compile.",
    `Keep the oneof. A contract without it ${v2}.`,
  ),
  "constraint-tightened": breaking(
    "Values that were valid are rejected with INVALID_FIELD.",
    `Keep the old constraint. A stricter one ${v2}.`,
  ),
  "constraint-loosened": additive("All values that were valid still are; callers may send more."),
  "promise-weakened": breaking(
    "Callers receive values that the constraint used to exclude.",
    `Keep the constraint of the response. A looser one ${v2}.`,
  ),
  "promise-strengthened": additive("Callers receive fewer different values than before."),
  "value-added": additive("Callers tolerate values that they do not know; they may handle this one."),
  "value-removed": breaking(
    "Callers may send or expect this value.",
    `Keep the value in \`documented_values\`, even if it is no longer produced. A contract without it ${v2}.`,
  ),
  "enum-added": additive("Callers may use a new enum."),
  "enum-removed": breaking("Code that uses the enum does not compile.", keep("enum")),
  "enum-value-added": additive("Callers tolerate values that they do not know; they may handle this one."),
  "enum-value-removed": breaking("Code that uses the value does not compile.", keep("value")),
  "enum-value-renumbered": breaking(
    "Stored or forwarded binary messages are misread.",
    "Keep the number of the value. Give the next free number to new values.",
  ),
  "reason-added": additive(
    "Callers fall back on the code of a reason that they do not know; they may handle this one.",
  ),
  "reason-removed": breaking(
    "Code that handles the reason never runs, and the failure arrives as one that callers do not know.",
    `Keep the reason in the enum, even if no operation fails with it. A contract without it ${v2}.`,
  ),
  "reason-code-changed": breaking(
    "Callers, proxies and retry policies depend on the code and the HTTP status.",
    `Keep both, and add a new reason for the new case. A replacement ${v2}.`,
  ),
  "reason-detail-added": additive("The error has one more detail or header."),
  "reason-detail-removed": breaking(
    "The detail or header that callers read is missing.",
    `Keep the detail or header. A contract without it ${v2}.`,
  ),
  "extension-added": additive("Code that reads descriptors may use a new option."),
  "extension-changed": breaking(
    "Compiled descriptors and code that reads the option no longer match.",
    "Keep the extension, its number and its type, and add a new one.",
  ),
  "limit-lowered": breaking(
    "Calls below the old limit are rejected.",
    `Keep the default, and lower the limit by a setting where you must. A lower default ${v2}.`,
  ),
  "limit-raised": additive("Calls below the old limit or rate still succeed; callers may send more."),
  "limit-added": breaking(
    "Calls that were unlimited are rejected beyond the limit.",
    `Keep the default unlimited, and make the limit a setting. A default limit ${v2}.`,
  ),
  "limit-removed": breaking(
    "A server does not start without one of the limits of a package. Without the rate of an operation, it applies its own, which the contract does not state.",
    `Keep the limit or rate, or raise it. A contract without it ${v2}.`,
  ),
  "header-added": additive("Callers may send or read one more header."),
  "header-required": breaking(
    "No existing caller sends the header: every call fails.",
    `Keep the header optional, with a default for calls without it. A required one ${v2}.`,
  ),
  "header-relaxed": additive("Calls without the header succeed."),
  "header-removed": breaking(
    "The value that callers send in the header is ignored, or the header that callers read is missing. That includes Idempotency-Key if the retry safety changes too: with the same key, callers get the same response again.",
    `Keep the header. A contract without it ${v2}.`,
  ),
  "comment-changed": documentation(
    "None, if the new comment gives the same guarantees as the old one.",
    "Check that no guarantee was withdrawn: that also breaks callers.",
  ),
  "secret-marked": documentation(
    "Clients start to mask the value in logs and errors.",
    "Check that nobody needs to read the value there.",
  ),
  "secret-unmarked": breaking(
    "Programs that rely on `debug_redact` write the value into logs and errors.",
    `Keep the mark. A field with a value that is no secret is a new field, or ${v2}.`,
  ),
  "guarantee-reworded": documentation(
    "None, if the new words promise the same as the old ones.",
    "Compare the two texts: if the new one promises less, keep the old one.",
  ),
  "guarantee-weakened": {
    kind: "decision",
    effect:
      "Callers rely on what the text promised: a number, what never, always or exactly happens, when an operation fails, or how to recover.",
    advice:
      "Keep the promise in other words, or state in a changeset what is promised now: `pnpm changeset`, with @platform-rpc/types as minor.",
  },
  "buf-breaking": breaking(
    "Code that was generated from the released contract no longer matches.",
    `Keep what exists, mark it \`deprecated\`, and add the replacement. A contract without it ${v2}.`,
  ),
} satisfies Readonly<Record<string, ChangeRule>>;

export type ChangeRuleId = keyof typeof changeRules;
