import type { Histogram } from "@platform-rpc/server/host";
import { createHistogram } from "./histogram.js";

const sampleEveryMs = 200;
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** How late the event loop runs a timer, in seconds. */
export interface EventLoopLag {
  /** Samples every 200 ms until the returned function is called. Does not keep the process alive. */
  watch(): () => void;
  read(): Histogram;
}

export function createEventLoopLag(): EventLoopLag {
  const { observe, read } = createHistogram(bounds);
  return {
    read,
    watch() {
      let due = performance.now() + sampleEveryMs;
      const sample = () => {
        const now = performance.now();
        observe(Math.max(0, now - due) / 1000);
        due = now + sampleEveryMs;
      };
      const timer = setInterval(sample, sampleEveryMs).unref();
      return () => clearInterval(timer);
    },
  };
}
