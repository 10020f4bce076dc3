import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { validate as validateStatefulSet } from "kubernetes-models/_schemas/IoK8sApiAppsV1StatefulSet";
import { validate as validateService } from "kubernetes-models/_schemas/IoK8sApiCoreV1Service";
import { validate as validateNetworkPolicy } from "kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const deploy = "apps/platform/deploy";
/** What `platform broker` reads, besides the folder of its files. */
const settings = [...read("packages/cli/src/commands/broker-command.ts").matchAll(/\.env\("(\w+)"\)/g)].map(
  ([, name = ""]) => name,
);
const known = [...settings, "PLATFORM_CONFIG_DIR", "NODE_ENV"];

describe("the broker of a team", () => {
  const [, image = ""] = /AS platform-broker\n(.*?)\nFROM /s.exec(read(`${deploy}/docker/Dockerfile`)) ?? [];
  const named = [...image.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name = "", value = ""]) => [name, value] as const);

  it("its page lists its settings, and the files name no others", () => {
    const unit = read(`${deploy}/systemd/platform-broker.service`);
    const manifest = read(`${deploy}/kubernetes/broker.yaml`);
    const used = [...`${unit}${manifest}`.matchAll(/(?:Environment=|name: )([A-Z_]+)/g)].map(([, name = ""]) => name);
    expect(used).toContain("BROKER_PUBLIC_URL");
    expect([...used, ...named.map(([name]) => name)].filter((name) => !known.includes(name))).toEqual([]);
    const page = read("docs/operate/broker.md");
    expect(settings.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it("its image runs the program as an unprivileged user, and writes to its volume only", () => {
    expect(image).toMatch(/^USER 65532:65532$/m);
    expect(image).toMatch(
      /^ENTRYPOINT \["\/nodejs\/bin\/node", "--disable-sigusr1", "\/app\/dist\/broker-main\.js"\]$/m,
    );
    expect(Object.fromEntries(named)).toMatchObject({
      PLATFORM_CONFIG_DIR: "/data/platform",
      BROKER_METRICS_PORT: "8091",
    });
  });

  it("broker.yaml matches the schemas of Kubernetes, and is one hardened process", () => {
    const documents: unknown[] = parseAllDocuments(read(`${deploy}/kubernetes/broker.yaml`)).map((one) => one.toJS());
    const schemas = [validateStatefulSet, validateService, validateNetworkPolicy];
    expect(documents.map((document, at) => schemas[at]?.(document))).toEqual([true, true, true]);
    const probe = (path: string) =>
      z.object({ httpGet: z.object({ path: z.literal(path), port: z.literal("health") }) });
    const container = z.object({
      livenessProbe: probe("/healthz"),
      readinessProbe: probe("/readyz"),
      resources: z.object({ limits: z.object({ memory: z.string() }) }),
      securityContext: z.object({
        allowPrivilegeEscalation: z.literal(false),
        readOnlyRootFilesystem: z.literal(true),
        capabilities: z.object({ drop: z.tuple([z.literal("ALL")]) }),
      }),
      volumeMounts: z.tuple([z.object({ mountPath: z.literal("/data") })]),
    });
    const pod = z.object({
      securityContext: z.object({ runAsNonRoot: z.literal(true), fsGroupChangePolicy: z.literal("OnRootMismatch") }),
      containers: z.tuple([container]),
    });
    const spec = z.object({ replicas: z.literal(1), template: z.object({ spec: pod }) });
    z.object({ spec }).parse(documents[0]);
  });
});
