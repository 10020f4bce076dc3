import type { HandlerContext } from "@connectrpc/connect";
import { type DeleteItemRequest, VaultService } from "@platform-rpc/types";
import { type StartListenerOptions, startListener, type TestListener } from "./start-listener.js";

/** A listener whose DeleteItem is implemented by the test. */
export interface TestStub extends TestListener {
  /** The item ids of the calls that reached the operation, in order. */
  readonly called: readonly string[];
}

type Handler = (request: DeleteItemRequest, context: HandlerContext) => Promise<void> | void;

/** Starts a listener that admits every caller. Its DeleteItem calls `handle` and returns an empty message. */
export async function startStub(
  handle: Handler = () => {},
  options: Omit<StartListenerOptions, "routes"> = {},
): Promise<TestStub> {
  const called: string[] = [];
  const test = await startListener({
    ...options,
    routes: (router) => {
      router.service(VaultService, {
        async deleteItem(request, context) {
          called.push(request.itemId);
          await handle(request, context);
          return {};
        },
      });
    },
  });
  return { ...test, called };
}

/** Creates a promise that the test resolves with `open`. */
export function createLatch(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
