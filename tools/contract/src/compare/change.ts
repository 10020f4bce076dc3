import type { Kind } from "../lock/lock.ts";
import type { ChangeRuleId } from "./change-rules.ts";

/** One difference between two locks. */
export interface Change {
  readonly rule: ChangeRuleId;
  /** What changed: a section of the lock and a name in it. */
  readonly kind: Kind;
  readonly name: string;
  /** The property that changed, unless the whole subject was added or removed. */
  readonly property: string | undefined;
  /** One sentence. */
  readonly what: string;
}
