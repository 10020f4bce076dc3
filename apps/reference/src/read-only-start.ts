import { type Logger, StorageError } from "@platform-rpc/server";
import { errorCode } from "./error-code.js";
import { errorFields } from "./error-fields.js";

/** What the file system answers when it takes no more. */
const noRoom = new Set<unknown>(["ENOSPC", "EDQUOT", "EFBIG", "EROFS"]);

/**
 * Does a step of the start that writes. When nothing can be written now, the app starts nevertheless and serves what can
 * be read; a job does the step again.
 */
export async function unlessReadOnly(step: string, run: () => Promise<unknown>, logger: Logger): Promise<void> {
  try {
    await run();
  } catch (thrown) {
    if (!(thrown instanceof StorageError) && !noRoom.has(errorCode(thrown))) throw thrown;
    logger.error({ step, ...errorFields(thrown) }, "start step put off: nothing can be written");
  }
}
