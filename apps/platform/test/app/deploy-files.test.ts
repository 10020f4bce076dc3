import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { validate as validateDeployment } from "kubernetes-models/_schemas/IoK8sApiAppsV1Deployment";
import { validate as validateStatefulSet } from "kubernetes-models/_schemas/IoK8sApiAppsV1StatefulSet";
import { validate as validateConfigMap } from "kubernetes-models/_schemas/IoK8sApiCoreV1ConfigMap";
import { validate as validateVolumeClaim } from "kubernetes-models/_schemas/IoK8sApiCoreV1PersistentVolumeClaim";
import { validate as validateService } from "kubernetes-models/_schemas/IoK8sApiCoreV1Service";
import { validate as validateServiceAccount } from "kubernetes-models/_schemas/IoK8sApiCoreV1ServiceAccount";
import { validate as validateNetworkPolicy } from "kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy";
import { validate as validateDisruptionBudget } from "kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { settingsSchema } from "../../src/settings/schema.js";
import { readSettings } from "../../src/settings/settings.js";
import { haproxy, promtool, runTool } from "../../src/testing/installed.js";
import { runApp } from "../../src/testing/program.js";
import { temporaryFolder } from "../../src/testing/temporary-folder.js";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const deploy = join(root, "apps/platform/deploy");
const read = (path: string) => readFileSync(join(deploy, path), "utf8");
const settings: readonly string[] = Object.keys(settingsSchema.shape);
const unknownSettings = (names: readonly string[]) => names.filter((name) => !settings.includes(name));
const { packageManager, scripts } = z
  .object({ packageManager: z.string(), scripts: z.object({ platform: z.string() }) })
  .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
/** The options of Node with which `pnpm platform` starts the program. */
const nodeOptions = /exec node (.*) apps/.exec(scripts.platform)?.[1] ?? "";

/** Reads the settings of an installation, which must be valid. It must leave running calls 10 s after the drain delay. */
function readInstallation(environment: Readonly<Record<string, string | undefined>>, stopSeconds: number) {
  expect(unknownSettings(Object.keys(environment))).toEqual([]);
  const installed = readSettings(environment);
  expect(stopSeconds).toBeGreaterThan(installed.drainDelayMs / 1000 + 10);
  return installed;
}

describe("the image", () => {
  const dockerfile = read("docker/Dockerfile");
  /** The image of the app is the last one: a build without a target builds it. */
  const image = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "));
  const workspace = z
    .object({ nodeVersion: z.string() })
    .parse(parse(readFileSync(join(root, "pnpm-workspace.yaml"), "utf8")));

  it("is built and run with the versions of the workspace", () => {
    expect(dockerfile).toContain(`FROM node:${workspace.nodeVersion}-`);
    expect(dockerfile).toContain(`distroless/nodejs${workspace.nodeVersion.split(".")[0]}-`);
    const pnpm = packageManager.replace(/\+.*/, "");
    expect(new Set(dockerfile.match(/pnpm@[0-9.]+/g))).toEqual(new Set([pnpm]));
  });

  it("runs as an unprivileged user, with the options of pnpm platform, and with valid settings", () => {
    expect(image).toMatch(/^USER 65532:65532$/m);
    expect(image).toContain(`ENTRYPOINT ["/nodejs/bin/node", "${nodeOptions}", "/app/dist/main.js"]`);
    const [, variables = ""] = /^ENV ((?:.*\\\n)*.*)$/m.exec(image) ?? [];
    const environment = Object.fromEntries(
      [...variables.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name = "", value]) => [name, value]),
    );
    expect(unknownSettings(Object.keys(environment))).toEqual(["NODE_ENV"]);
    expect(readSettings(environment)).toMatchObject({ host: "0.0.0.0", dataDir: "/data/platform", demo: false });
  });

  it("is built from all files that the documentation reads or links to", () => {
    const given = read("docker/Dockerfile.dockerignore").split("\n");
    // The build of the documentation fails if a link has no target.
    for (const path of ["*.md", "LICENSE", ".changeset", "apps", "docs", "packages", "proto", "tools"]) {
      expect(given).toContain(`!${path}`);
    }
  });

  it("contains all files that the app needs", async () => {
    const folder = join(await temporaryFolder(), "app");
    await promisify(execFile)(join(deploy, "docker/collect-files.sh"), [folder], { cwd: root });
    const environment = { DATA_DIR: await temporaryFolder(), DEMO: "off", ACCOUNTS_TENANT: "main" };
    const app = await runApp(environment, { folder: join(folder, "dist") });
    for (const path of ["/readyz", "/docs", "/docs/errors/ITEM_NOT_FOUND", "/openapi.json"]) {
      expect([path, (await fetch(app.publicUrl + path)).status]).toEqual([path, 200]);
    }
    expect((await fetch(`${app.pagesUrl}/assets/style.css`)).status).toBe(200);
    expect(await app.stop()).toBe(0);
  });
});

describe("compose.yaml", () => {
  const hardened = z.object({
    read_only: z.literal(true),
    cap_drop: z.tuple([z.literal("ALL")]),
    security_opt: z.tuple([z.literal("no-new-privileges:true")]),
    mem_limit: z.string(),
    ports: z.array(z.string().startsWith("127.0.0.1:")),
  });
  const { services } = z
    .object({
      services: z.object({
        platform: hardened.extend({
          environment: z.record(z.string(), z.string()),
          stop_grace_period: z.string().regex(/^[0-9]+s$/),
        }),
        prometheus: hardened,
      }),
    })
    .parse(parse(read("docker/compose.yaml")));

  it("has valid settings, and stops the app after its drain delay", () => {
    const { environment, stop_grace_period } = services.platform;
    readInstallation({ ...environment, HOST: "0.0.0.0" }, Number.parseInt(stop_grace_period, 10));
  });

  it.skipIf(promtool.skip)(`promtool accepts the configuration of Prometheus${promtool.note}`, async () => {
    const cwd = join(deploy, "prometheus");
    expect(await runTool(promtool.path, ["check", "config", "prometheus.yml"], { cwd })).toMatchObject({ code: 0 });
  });
});

describe("compose-postgres.yaml", () => {
  const platform = z.object({
    environment: z.record(z.string(), z.string()),
    stop_grace_period: z.string().regex(/^[0-9]+s$/),
    read_only: z.literal(true),
    cap_drop: z.tuple([z.literal("ALL")]),
    mem_limit: z.string(),
  });
  const { services } = z
    .object({ services: z.object({ "platform-1": platform, "platform-2": platform, "platform-3": platform }) })
    .parse(parse(read("docker/compose-postgres.yaml"), { merge: true }));

  it("starts three processes with valid settings, which share the database and the keys", () => {
    for (const { environment, stop_grace_period } of Object.values(services)) {
      // Compose replaces the password.
      const given = Object.entries({ ...environment, HOST: "0.0.0.0" });
      const replaced = given.map(([name, value]) => [name, value.replace(/\$\{[^}]*\}/, "secret")]);
      const { keysFile } = readInstallation(Object.fromEntries(replaced), Number.parseInt(stop_grace_period, 10));
      expect(keysFile).toBe("/data/keys.json");
    }
  });

  it.skipIf(haproxy.skip)(`HAProxy accepts its configuration${haproxy.note}`, async () => {
    expect(await runTool(haproxy.path, ["-c", "-f", join(deploy, "haproxy/haproxy.cfg")])).toMatchObject({ code: 0 });
  });
});

it.each(["compose.yaml", "compose-postgres.yaml"])("Podman knows the options of %s", (file) => {
  const text = read(`docker/${file}`);
  // Only Docker knows the log driver `local`, the owner of a temporary file system, and a required variable without a message.
  expect(text).not.toMatch(/driver: local|[,:][ug]id=|:\?\}/);
});

describe("platform.service", () => {
  const unit = read("systemd/platform.service");
  const settingsFile = read("systemd/platform.env");
  const values = Object.fromEntries(
    [...settingsFile.matchAll(/^([A-Z_]+)="?([^"\n]*)"?$/gm)].map(([, name = "", value]) => [name, value]),
  );

  it("starts the program with the options of pnpm platform", () => {
    expect(unit).toContain(`bin/node ${nodeOptions} /opt/platform/apps/platform/dist/main.js`);
  });

  it("has valid settings, which docs/operate/install.md shows, and stops the app after its drain delay", () => {
    const folder = /^StateDirectory=(\S+)$/m.exec(unit)?.[1];
    const settings = readInstallation(values, Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]));
    expect(settings).toMatchObject({ dataDir: `/var/lib/${folder}`, demo: false });
    const page = readFileSync(join(root, "docs/operate/install.md"), "utf8");
    expect(page).toContain(`\`\`\`ini\n${settingsFile}\`\`\``);
  });
});

describe.each([
  { file: "sqlite.yaml", kind: "StatefulSet", replicas: 1, kinds: ["StatefulSet"] },
  { file: "postgres.yaml", kind: "Deployment", replicas: 3, kinds: ["Deployment", "PersistentVolumeClaim"] },
])("common.yaml and $file for Kubernetes", ({ file, kind, replicas, kinds }) => {
  const documents: unknown[] = ["common.yaml", file].flatMap((name) =>
    parseAllDocuments(read(`kubernetes/${name}`)).map((document) => document.toJS()),
  );
  const kindOf = (document: unknown) => z.looseObject({ kind: z.string() }).parse(document).kind;
  const find = (wanted: string) => documents.find((document) => kindOf(document) === wanted);
  const probe = (path: string) =>
    z.object({ httpGet: z.object({ path: z.literal(path), port: z.literal("public") }), periodSeconds: z.number() });
  const pod = z.object({
    terminationGracePeriodSeconds: z.number(),
    securityContext: z.object({
      runAsNonRoot: z.literal(true),
      runAsUser: z.literal(65_532),
      fsGroupChangePolicy: z.literal("OnRootMismatch"),
    }),
    containers: z.tuple([
      z.object({
        env: z.array(z.object({ name: z.string(), value: z.string().optional() })),
        startupProbe: probe("/healthz"),
        livenessProbe: probe("/healthz"),
        readinessProbe: probe("/readyz").extend({ failureThreshold: z.number() }),
        resources: z.object({ limits: z.object({ memory: z.string() }) }),
        securityContext: z.object({
          allowPrivilegeEscalation: z.literal(false),
          readOnlyRootFilesystem: z.literal(true),
          capabilities: z.object({ drop: z.tuple([z.literal("ALL")]) }),
        }),
        volumeMounts: z.array(z.object({ mountPath: z.string() })),
      }),
    ]),
  });
  const { spec } = z
    .object({ spec: z.object({ replicas: z.literal(replicas), template: z.object({ spec: pod }) }) })
    .parse(find(kind));
  const { data } = z.object({ data: z.record(z.string(), z.string()) }).parse(find("ConfigMap"));
  const [container] = spec.template.spec.containers;
  /** What the cluster knows only when it runs. */
  const given = new Map([["DATABASE_URL", "postgres://platform:secret@postgres:5432/platform"]]);
  const environment = Object.fromEntries(
    container.env
      .filter(({ name }) => name !== "POD_IP")
      .map(({ name, value = given.get(name) }) => [name, value?.replace("$(POD_IP)", "10.0.0.1")]),
  );

  it("match the schemas of Kubernetes", () => {
    const schemas = new Map([
      ["ConfigMap", validateConfigMap],
      ["Deployment", validateDeployment],
      ["NetworkPolicy", validateNetworkPolicy],
      ["PersistentVolumeClaim", validateVolumeClaim],
      ["PodDisruptionBudget", validateDisruptionBudget],
      ["Service", validateService],
      ["ServiceAccount", validateServiceAccount],
      ["StatefulSet", validateStatefulSet],
    ]);
    const shared = ["ConfigMap", "NetworkPolicy", "PodDisruptionBudget", "Service", "ServiceAccount"];
    expect(documents.map(kindOf).sort()).toEqual([...shared, ...kinds].sort());
    expect(documents.filter((document) => schemas.get(kindOf(document))?.(document) !== true)).toEqual([]);
  });

  it("have valid settings, and stop the app after its drain delay", () => {
    const { terminationGracePeriodSeconds } = spec.template.spec;
    const { drainDelayMs } = readInstallation({ ...data, ...environment }, terminationGracePeriodSeconds);
    const { periodSeconds, failureThreshold } = container.readinessProbe;
    expect(drainDelayMs / 1000).toBeGreaterThan(periodSeconds * failureThreshold);
  });

  it("let the app write its files, although the root of its file system is read-only", () => {
    const { dataDir, keysFile } = readSettings({ DATA_DIR: "/data/platform", ...data, ...environment });
    const mounts = container.volumeMounts.map(({ mountPath }) => `${mountPath}/`);
    for (const path of [dataDir, keysFile]) {
      expect(mounts.some((mount) => path.startsWith(mount))).toBe(true);
    }
  });
});
