import { createListener, jsonDocument } from "@platform-rpc/server";
import { pino } from "pino";

// Runs a listener without a connection limit as a process, and prints its port.
const nothing = {
  routes: () => {},
  admit: () => {
    throw new Error("this listener has no operations");
  },
};
const listener = createListener(nothing, {
  documents: new Map([["/healthz", jsonDocument(200, { status: "ok" })]]),
  limits: { connections: Number.POSITIVE_INFINITY },
  logger: pino({ base: null }, pino.destination({ dest: 2, sync: true })),
});
const { port } = await listener.listen(0, "127.0.0.1");
process.stdout.write(`${port}\n`);
