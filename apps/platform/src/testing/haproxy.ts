import { startHaproxy as start } from "@platform-rpc/testbed/haproxy";
import { onTestFinished } from "vitest";

/**
 * Starts HAProxy in front of processes on this machine, until the test ends. It checks their readiness every 100 ms, keeps
 * connections open, and sends no request twice: a process that closes too early causes an error.
 */
export async function startHaproxy(ports: readonly number[]) {
  const haproxy = await start({
    mode: "http",
    defaults: [
      ...["retries 0", "timeout connect 5s", "timeout client 30s", "timeout server 30s", "timeout http-keep-alive 30s"],
      // Default: the interval of the checks, which a busy machine misses.
      "timeout check 10s",
    ],
    backend: [
      ...["balance roundrobin", "http-reuse always", "option httpchk GET /readyz", "http-check expect status 200"],
      "default-server check inter 100ms fall 1 rise 1",
      ...ports.map((port) => `server s${port} 127.0.0.1:${port}`),
    ],
  });
  onTestFinished(() => haproxy[Symbol.asyncDispose]());
  return {
    url: `http://127.0.0.1:${haproxy.port}`,
    /** Returns whether HAProxy sends requests to the process at a port. */
    uses: (server: number) => haproxy.uses(`s${server}`),
  };
}
