import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../../src/testing/call.js";
import { promtool, runTool } from "../../src/testing/installed.js";
import { startTestApp, type TestApp } from "../../src/testing/start-test-app.js";

const deletion = "platform.v1.VaultService/DeleteItem";
const listing = "platform.internal.v1.VaultAdminService/ListChanges";
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";

/** Returns the value of a sample, by its name and labels as they are written. */
function sampleOf(text: string, sample: string): number {
  const line = text.split("\n").find((each) => each.startsWith(`${sample} `));
  return Number(line?.slice(sample.length + 1).split(" ")[0]);
}

const read = async ({ internalUrl }: { readonly internalUrl: string }, headers: Record<string, string> = {}) => {
  const response = await fetch(`${internalUrl}/metrics`, { headers });
  return { type: response.headers.get("content-type"), text: await response.text() };
};

describe("GET /metrics", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
    await call(app.publicUrl, deletion, {}, "not-a-token");
    await call(app.publicUrl, deletion, {}, "not-a-token");
    await call(app.internalUrl, listing, { tenantId: "t-1", vaultId: "v-1", limit: 1 }, app.adminToken);
  });
  afterAll(() => app.end());

  it("counts requests by listener, operation and reason, and measures them", async () => {
    const { text, type } = await read(app);
    expect(type).toBe("text/plain; version=0.0.4; charset=utf-8");
    const labels = `listener="public",operation="${deletion}"`;
    expect(sampleOf(text, `platform_calls_total{${labels},reason="UNAUTHENTICATED"}`)).toBe(2);
    expect(sampleOf(text, `platform_call_duration_seconds_count{${labels}}`)).toBe(2);
    const internal = `listener="internal",operation="${listing}",reason="VAULT_NOT_FOUND"`;
    expect(sampleOf(text, `platform_calls_total{${internal}}`)).toBe(1);
  });

  it("reports the storage, the token cache, the jobs, the event loop and the process", async () => {
    const positive = [
      "platform_ready",
      "platform_clock_trusted",
      "platform_storage_batch_calls_count",
      "platform_storage_commit_duration_seconds_count",
      'platform_token_lookups_total{result="miss"}',
      'platform_job_runs_total{job_name="check storage",result="succeeded"}',
      'platform_job_succeeded_timestamp_seconds{job_name="rotate keys"}',
      "platform_event_loop_lag_seconds_count",
      "process_cpu_seconds_total",
      "process_resident_memory_bytes",
      "platform_data_dir_free_bytes",
    ];
    const missing = async () => {
      const { text } = await read(app);
      return positive.filter((sample) => !(sampleOf(text, sample) > 0));
    };
    // The first runs of the jobs may not have ended.
    await expect.poll(missing).toEqual([]);
    const { text } = await read(app);
    expect(sampleOf(text, "platform_keys_age_seconds")).toBeLessThan(60);
    expect(text).toContain("\nplatform_storage_checkpoint_duration_seconds_count ");
    expect(text).toContain(`platform_build_info{version="0.0.0",node="${process.version}"} 1`);
  });

  it("is in OpenMetrics for a scraper that accepts it, with the trace of a call as exemplar", async () => {
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    await fetch(`${app.publicUrl}/${deletion}`, { method: "POST", headers });
    const { text, type } = await read(app, { Accept: "application/openmetrics-text;version=1.0.0,text/plain;q=0.5" });
    expect(type).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
    expect(text).toMatch(
      new RegExp(`platform_call_duration_seconds_bucket{.*} \\d+ # {trace_id="${traceId}"} \\S+ \\S+\n`),
    );
    expect(text).toMatch(/# EOF\n$/);
    const excluded = await read(app, { Accept: "application/openmetrics-text;q=0, */*" });
    expect(excluded.type).toMatch(/^text\/plain/);
  });

  it("is served only by the internal listener", async () => {
    expect((await fetch(`${app.publicUrl}/metrics`)).status).toBe(404);
  });

  it.skipIf(promtool.skip)(`promtool finds no fault in it${promtool.note}`, async () => {
    const { text } = await read(app);
    expect(await runTool(promtool.path, ["check", "metrics"], { input: text })).toEqual({ code: 0, output: "" });
  });
});
