import type { Message } from "@bufbuild/protobuf";
import { collectRoutes, type Routes } from "@platform-rpc/server";

/** The same routes, with something to do once a call has been decided, also when it is refused, before it is answered. */
export function afterEachCall(routes: Routes, after: (request: Message) => Promise<void>): Routes {
  return (router) => {
    for (const { method, implementation } of collectRoutes(routes).values()) {
      router.rpc(method, async (request, context) => {
        try {
          return await implementation(request, context);
        } finally {
          await after(request);
        }
      });
    }
  };
}
