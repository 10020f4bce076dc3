import type { Message } from "@bufbuild/protobuf";
import type { Routes } from "@platform-rpc/server";
import { collectRoutes } from "@platform-rpc/server/host";

/** Returns routes that await `after`, if there is one, before the response of each call is sent, even if the call fails. */
export function afterEachCall(routes: Routes, after: ((request: Message) => Promise<void>) | undefined): Routes {
  if (after === undefined) return routes;
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
