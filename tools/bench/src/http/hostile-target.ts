import { createListener } from "@platform-rpc/server";
import { VaultService } from "@platform-rpc/types";
import { serveTarget } from "../load/serve-target.ts";
import { claims } from "../platform/start-servers.ts";

// Serves DeleteItem with a response of about the given size, without a limit of calls.
const size = Number(process.argv[2]);
const off = Number.POSITIVE_INFINITY;
const listener = createListener(
  {
    routes: (router) =>
      router.service(VaultService, {
        deleteItem: () => ({ item: { encryptedPayload: { ciphertext: Buffer.alloc(size, "c").toString("latin1") } } }),
      }),
    admit: () => claims,
  },
  {
    logger: { info: () => {}, error: () => {} },
    limits: { connections: off, callsInFlight: off, callsInFlightPerPrincipal: off },
  },
);
const { port } = await listener.listen(0, "127.0.0.1");
serveTarget(port);
