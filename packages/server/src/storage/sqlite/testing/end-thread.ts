import { revocationOf } from "../../../testing/storage-suite/fixture.js";
import { commitWrites } from "../../../testing/storage-suite/rules.js";
import type { Writer } from "../writer.js";

const ending = revocationOf("the writer's thread ends");
const failing = revocationOf("the writer's thread fails");

/** A rule whose commit ends the thread of the writer before it writes. */
export const endThread = () => commitWrites([ending]);

/** A rule after whose commit the thread of the writer ends with an uncaught error. */
export const failThread = () => commitWrites([failing]);

/** Returns a writer that does what both rules say. */
export function endAtRequest(writer: Writer): Writer {
  return {
    ...writer,
    commit(calls) {
      const writes = calls.flatMap((call) => call.writes);
      const keys = writes.flatMap((write) => (write.kind === "record" ? [write.record.key] : []));
      if (keys.includes(ending.record.key)) process.exit(7);
      if (keys.includes(failing.record.key)) {
        setImmediate(() => {
          throw new Error("a bug in the thread");
        });
      }
      return writer.commit(calls);
    },
  };
}
