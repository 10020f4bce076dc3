import type { ChangeKind } from "../finding.ts";

/** What the gate knows about one sort of change. */
export interface ChangeRule {
  readonly kind: ChangeKind;
  /** Who notices, and how. */
  readonly effect: string;
  /** What to do: instead of a breaking change, or along with another. */
  readonly advice: string;
}

const v2 = "belongs in platform.v2, served beside v1 for 12 months at least";

function breaking(effect: string, advice: string): ChangeRule {
  return { kind: "breaking", effect, advice };
}

function additive(effect: string): ChangeRule {
  return {
    kind: "additive",
    effect,
    advice: "Tell callers in a changeset: `pnpm changeset`, with @platform-rpc/types as minor.",
  };
}

/** Every sort of change, with its verdict. docs/contract-rules.md is made from it. */
export const changeRules = {
  "operation-removed": breaking(
    "Whoever calls the operation gets OPERATION_UNKNOWN from the day of the deployment.",
    `Keep it, and mark it \`deprecated\`, with a \`deprecation\` that ends 180 days later at least. A contract without it ${v2}.`,
  ),
  "operation-added": additive("Nobody has to do anything; callers may use the new operation."),
  "operation-type-changed": breaking(
    "Callers send one message and read another than the operation takes and gives.",
    `Leave the request and response of the operation as they are, and add a new operation beside it; if there can be only one, it ${v2}.`,
  ),
  "visibility-narrowed": breaking(
    "Integrators who call the operation today find it unknown on the public listener.",
    `Keep it public, and deprecate it. A version without it ${v2}.`,
  ),
  "visibility-widened": additive("Integrators may call an operation that was closed to them."),
  "scope-added": breaking(
    "Every token that is in use today lacks the new scope: its calls end with INSUFFICIENT_SCOPE until users consent again.",
    `Keep the scopes of the operation as they are. An operation that needs more is another operation; in place of this one it ${v2}.`,
  ),
  "scope-removed": additive("Tokens that hold the old scopes still work; fewer scopes are enough now."),
  "retry-safety-lowered": breaking(
    "Clients that were released retry a lost answer by the old promise, and would now do things twice.",
    `Keep the operation as safe to retry as it is; if it cannot be, it ${v2}.`,
  ),
  "retry-safety-raised": additive("Clients that know the new promise may retry more than before."),
  "deprecation-announced": additive("Every answer carries the headers Deprecation and Sunset; callers should move on."),
  "deprecation-withdrawn": additive("The operation stays; callers who moved on need not come back."),
  "sunset-brought-forward": breaking(
    "Callers who planned their move by the announced day find the operation gone before it.",
    "Keep the day that was announced, or name a later one.",
  ),
  "sunset-put-off": additive("Callers have more time to move on."),
  "operation-reason-removed": breaking(
    "Callers who wait for this reason of the operation wait in vain, and meet another one that they do not expect.",
    `Keep failing with this reason, and keep naming it in the operation's comment. Another way of failing ${v2}.`,
  ),
  "operation-reason-added": additive("The operation may fail in one more way; callers may handle it."),
  "message-removed": breaking(
    "Code that names the type no longer compiles.",
    `Keep the message and mark it \`deprecated\`. A contract without it ${v2}.`,
  ),
  "message-added": additive("Nobody has to do anything; there is one more type."),
  "field-removed": breaking(
    "Callers who read the field find nothing there, and callers who send it are no longer heard.",
    `Keep the field and mark it \`deprecated\`. A message without it ${v2}.`,
  ),
  "field-renamed": breaking(
    "JSON names fields by name: callers who read or send the old name find nothing, or are not heard. The number does not help them.",
    `Keep the old name. Add a second field under the new name, fill both, and mark the old one \`deprecated\`; to have only the new one, it ${v2}.`,
  ),
  "field-renumbered": breaking(
    "Whoever stored or forwards the message in protobuf's binary form reads another field at the old number.",
    "Keep the number of the field; give the next free number to what is new.",
  ),
  "field-type-changed": breaking(
    "Callers parse the old type: their code no longer compiles, or rejects or misreads what it gets.",
    `Keep the type. Add a second field of the new type, fill both, and mark the old one \`deprecated\`; to have only the new one, it ${v2}.`,
  ),
  "presence-changed": breaking(
    "Callers who rely on the field being there meet `undefined`, or can no longer tell absent from empty.",
    `Keep the field's presence as it is, and add a new field with the other one; otherwise it ${v2}.`,
  ),
  "field-added": additive("Callers tolerate fields that they do not know, and need not send this one."),
  "required-field-added": breaking(
    "No caller of today sends the new field, so that every request is refused with INVALID_FIELD.",
    `Let the field be left out: no min_len, no gte above 0, no \`required\`, no pattern that refuses "". If nothing can be done without it, it ${v2}.`,
  ),
  "constraint-tightened": breaking(
    "Values that were valid are refused with INVALID_FIELD: callers' data and code hold such values today.",
    `Keep the old bound. A stricter one ${v2}.`,
  ),
  "constraint-loosened": additive("Everything that was valid still is; callers may send more."),
  "value-removed": breaking(
    "Callers who send or expect this value were told that they may.",
    `Keep the value in the list of documented values, and say in the comment that it is no longer made. A list without it ${v2}.`,
  ),
  "value-added": additive("Callers tolerate values that they do not know; they may learn this one."),
  "reason-removed": breaking(
    "Callers branch on error reasons: code that handles this one is dead, and what it handled comes as something unknown.",
    `Keep the reason in the enum, with its code and HTTP status, also when nothing fails with it any more. A list without it ${v2}.`,
  ),
  "reason-added": additive(
    "Callers fall back on the code for a reason that they do not know; they may learn this one.",
  ),
  "reason-code-changed": breaking(
    "Callers, proxies and retry policies go by the code and the HTTP status: the same failure would look like another.",
    `Keep both as they are, and add a new reason for what is different; otherwise it ${v2}.`,
  ),
  "limit-lowered": breaking(
    "Callers who stay below the old limit are refused by the new one.",
    `Keep the default, and lower the limit by a setting where it must be. A lower default ${v2}.`,
  ),
  "limit-raised": additive("Everything that was let through still is; callers may send more."),
  "limit-added": breaking(
    "What was unlimited is refused beyond the new limit.",
    `Make the limit a setting that is off by default. One that is on ${v2}.`,
  ),
  "limit-removed": additive("Callers need not keep to the limit any more."),
  "header-required": breaking(
    "No caller of today sends the header, so that every call is refused.",
    `Make the header optional, with a default for calls without it; otherwise it ${v2}.`,
  ),
  "header-added": additive("Callers may send one more header."),
  "header-relaxed": additive("Calls without the header are no longer refused."),
  "header-removed": breaking(
    "Callers who send the header are no longer heard: what it asked for does not happen.",
    `Keep the header. A version without it ${v2}.`,
  ),
  "comment-changed": {
    kind: "documentation",
    effect: "Nobody has to do anything.",
    advice:
      "See to it that the words promise what they promised before: a guarantee taken back in a comment breaks callers, too.",
  },
  "buf-breaking": breaking(
    "Code that was generated from the released contract no longer fits.",
    `Keep what is there, mark it \`deprecated\`, and add the new beside it; if that cannot be, it ${v2}.`,
  ),
} satisfies Readonly<Record<string, ChangeRule>>;

export type ChangeRuleId = keyof typeof changeRules;

export function kindOf(rule: ChangeRuleId): ChangeKind {
  return changeRules[rule].kind;
}
