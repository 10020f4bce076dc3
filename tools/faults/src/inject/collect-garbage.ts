import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

// Preloaded into the app: collects all garbage every 10 s, so that memory which grows is memory that is in use.

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");
setInterval(collect, 10_000).unref();
