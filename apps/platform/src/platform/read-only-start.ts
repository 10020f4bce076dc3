import { errorCode, errorFields } from "@platform-rpc/front/errors";
import { type Logger, StorageError } from "@platform-rpc/server";

/** The error codes of a file system that accepts no writes. */
const noRoom = new Set<unknown>(["ENOSPC", "EDQUOT", "EFBIG", "EROFS"]);

/**
 * Runs a start step that writes. When nothing can be written now, or another cell serves the tenant, logs that and lets the app start
 * to serve what it can; a job repeats the step.
 */
export async function unlessReadOnly(step: string, run: () => Promise<unknown>, logger: Logger): Promise<void> {
  try {
    await run();
  } catch (thrown) {
    if (thrown instanceof StorageError && thrown.refusesTenant) {
      logger.info({ step }, "start step postponed: this cell does not serve the tenant");
      return;
    }
    if (!(thrown instanceof StorageError) && !noRoom.has(errorCode(thrown))) throw thrown;
    logger.error({ step, ...errorFields(thrown) }, "start step postponed: the storage cannot be written");
  }
}
