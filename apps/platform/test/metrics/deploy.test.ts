import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { publicContract } from "@platform-rpc/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { promtool, runTool } from "../../src/testing/installed.js";
import { startTestApp, type TestApp } from "../../src/testing/start-test-app.js";
import { temporaryFolder } from "../../src/testing/temporary-folder.js";

const deploy = fileURLToPath(new URL("../../deploy/", import.meta.url));
const read = (path: string) => readFileSync(join(deploy, path), "utf8");

const rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({ alert: z.string(), expr: z.string(), annotations: z.object({ runbook_url: z.string() }) }),
      ),
    }),
  ),
});
const target = z.object({ expr: z.string() });
const dashboard = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(target).default([]) })),
  annotations: z.object({ list: z.array(target) }),
});

const alerts = rules.parse(parse(read("prometheus/alerts.yml"))).groups.flatMap((group) => group.rules);
const board = dashboard.parse(JSON.parse(read("grafana/dashboard.json")));
const boardExpressions = [...board.panels.flatMap(({ targets }) => targets), ...board.annotations.list].map(
  ({ expr }) => expr,
);
const expressions = [...alerts.map(({ expr }) => expr), ...boardExpressions];

function readRunbook(): string {
  return readFileSync(new URL("../../../../docs/operate/alerts.md", import.meta.url), "utf8");
}

describe("the alerts and the dashboard", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.end());

  it("use only metrics that /metrics has", async () => {
    const text = await (await fetch(`${app.internalUrl}/metrics`)).text();
    const exposed = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = "", type]) =>
      type === "histogram" ? ["_bucket", "_sum", "_count"].map((suffix) => name + suffix) : [name],
    );
    // Those of a broker are tested with the program.
    const used = expressions.flatMap((expr) => expr.match(/\b(?:platform(?!_broker)|process|nodejs)_\w+/g) ?? []);
    expect(used.length).toBeGreaterThan(50);
    expect([...new Set(used)].filter((name) => !exposed.includes(name))).toEqual([]);
  });

  it("use only reasons of the contract", () => {
    const reasons = expressions.flatMap((expr) =>
      [...expr.matchAll(/reason(?:=|!=|=~)"([^"]+)"/g)].flatMap(([, list = ""]) => list.split("|")),
    );
    expect(reasons).toContain("UNAVAILABLE");
    expect(reasons.filter((reason) => reason !== "OK" && !publicContract.reasons.has(reason))).toEqual([]);
  });
});

describe("each alert", () => {
  it("has an entry in the runbook, to which its annotation leads", () => {
    const headings = [...readRunbook().matchAll(/^## (\w+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(alerts.map(({ alert }) => alert));
    const anchorOf = (url: string) => /^https:\/\/api\.example\/docs\/operate\/alerts#(\w+)$/.exec(url)?.[1];
    expect(alerts.map(({ annotations }) => anchorOf(annotations.runbook_url))).toEqual(
      alerts.map(({ alert }) => alert.toLowerCase()),
    );
  });

  it("has an entry whose panels are on the dashboard", () => {
    const titles = board.panels.map(({ title }) => title);
    const named = [...readRunbook().matchAll(/panels? ("[^"]+"(?: and "[^"]+")?)/g)].flatMap(([, list = ""]) =>
      [...list.matchAll(/"([^"]+)"/g)].map(([, title = ""]) => title),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((title) => !titles.includes(title))).toEqual([]);
  });
});

describe.skipIf(promtool.skip)(`promtool${promtool.note}`, () => {
  it("accepts the alerts, and their tests pass", async () => {
    const cwd = join(deploy, "prometheus");
    expect(await runTool(promtool.path, ["check", "rules", "alerts.yml"], { cwd })).toMatchObject({ code: 0 });
    const tested = await runTool(promtool.path, ["test", "rules", "alerts.test.yml"], { cwd });
    expect(tested).toMatchObject({ code: 0, output: expect.stringContaining("SUCCESS") });
  });

  it("accepts the expressions of the dashboard", async () => {
    const file = join(await temporaryFolder(), "expressions.json");
    const rules = boardExpressions.map((expr, index) => ({
      record: `expression_${index}`,
      expr: expr.replaceAll("$__rate_interval", "5m").replaceAll(/\$\w+/g, "x"),
    }));
    // JSON is YAML.
    await writeFile(file, JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
    const { code, output } = await runTool(promtool.path, ["check", "rules", file]);
    expect({ code, output }).toEqual({
      code: 0,
      output: expect.stringContaining(`SUCCESS: ${rules.length} rules found`),
    });
  });
});
