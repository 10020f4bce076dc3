import type { Lock } from "../lock/schema.ts";
import { type Change, change, type Subject } from "./change.ts";
import { pair } from "./pair.ts";

export function* reasonChanges(released: Lock, today: Lock): Generator<Change> {
  const { removed, added, kept } = pair(released.reasons, today.reasons);
  for (const [name] of removed) yield change("reason-removed", ["reasons", name], `The error reason ${name} is gone`);
  for (const [name] of added) yield change("reason-added", ["reasons", name], `The error reason ${name} is new`);
  for (const { name, was, is } of kept) {
    const subject: Subject = ["reasons", name];
    if (was.code !== is.code || was.httpStatus !== is.httpStatus) {
      const what = `${name} was ${was.code}, ${was.httpStatus}, and is ${is.code}, ${is.httpStatus} now`;
      yield change("reason-code-changed", subject, what);
    }
    if (was.comment !== is.comment) yield change("comment-changed", subject, `The comment of ${name} changed`);
  }
}
