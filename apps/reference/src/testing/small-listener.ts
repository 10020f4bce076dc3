import { createListener, jsonDocument } from "@platform-rpc/server";
import { pino } from "pino";

// A listener without a bound on its connections, as a process of its own: it prints where it listens.
const nothing = {
  routes: () => {},
  admit: () => {
    throw new Error("nobody calls");
  },
};
const listener = createListener(nothing, {
  documents: new Map([["/healthz", jsonDocument(200, { status: "ok" })]]),
  limits: { connections: Number.POSITIVE_INFINITY },
  logger: pino({ base: null }, pino.destination({ dest: 2, sync: true })),
});
const { port } = await listener.listen(0, "127.0.0.1");
process.stdout.write(`${port}\n`);
