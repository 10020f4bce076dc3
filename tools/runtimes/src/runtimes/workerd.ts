import { bundle } from "../bundle.ts";
import type { RuntimeUnderTest } from "../runtime-under-test.ts";
import { runWorkerd, workerdInstalled } from "./run-workerd.ts";

/** The runtime of Cloudflare Workers. */
export const workerdUnderTest: RuntimeUnderTest = {
  ...workerdInstalled,
  userAgent: "Cloudflare-Workers",
  takesRedirectError: false,
  async run(environment) {
    const conditions = ["workerd", "worker", "browser"];
    const script = await bundle('export { worker as default } from "./worker.ts"', { format: "esm", conditions });
    const worker = await runWorkerd(script);
    try {
      const input = await environment.newInput();
      const response = await fetch(worker.url, { method: "POST", body: JSON.stringify(input) });
      const body = await response.text();
      if (!response.ok) throw new Error(`${response.status} ${body}\n${worker.printed()}`);
      return { input, result: JSON.parse(body), printed: worker.printed() };
    } finally {
      await worker.stop();
    }
  },
};
