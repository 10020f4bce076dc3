import type { Histogram } from "@platform-rpc/server/host";

export type Labels = Readonly<Record<string, string>>;

/** A call with a recorded trace. */
export interface Exemplar {
  readonly traceId: string;
  readonly value: number;
  /** Seconds since the epoch. */
  readonly at: number;
}

interface Named {
  readonly name: string;
  /** One sentence. */
  readonly help: string;
}

/** A counter or a gauge. The name of a counter ends in `_total`. */
export interface NumberFamily extends Named {
  readonly type: "counter" | "gauge";
  readonly samples: readonly { readonly labels?: Labels; readonly value: number }[];
}

export interface HistogramFamily extends Named {
  readonly type: "histogram";
  readonly samples: readonly (Histogram & {
    readonly labels?: Labels;
    /** One for each bucket. */
    readonly exemplars?: readonly (Exemplar | undefined)[];
  })[];
}

export type Family = NumberFamily | HistogramFamily;

/** `text` is the text format of Prometheus. Only OpenMetrics has exemplars. */
export type Format = "text" | "openmetrics";

export const contentTypes: Readonly<Record<Format, string>> = {
  text: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/**
 * Writes metrics in one of the formats that Prometheus reads.
 *
 * It is written here because the storage's thread records its figures in memory that this thread reads, also while the other one is
 * blocked. A client library expects to make each observation itself.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function expose(families: readonly Family[], format: Format): string {
  const lines = families.flatMap((family) => {
    const { name, help, type } = family;
    // In OpenMetrics, `_total` is a suffix of a counter's sample, and not part of its name.
    const title = format === "openmetrics" && type === "counter" ? name.replace(/_total$/, "") : name;
    const samples = type === "histogram" ? family.samples.flatMap((each) => histogramLines(name, each, format)) : [];
    const numbers = type === "histogram" ? [] : family.samples.map((each) => line(name, each.labels, each.value));
    return [`# HELP ${title} ${help}`, `# TYPE ${title} ${type}`, ...samples, ...numbers];
  });
  if (format === "openmetrics") lines.push("# EOF");
  return `${lines.join("\n")}\n`;
}

function histogramLines(
  name: string,
  { labels, bounds, counts, sum, exemplars = [] }: HistogramFamily["samples"][number],
  format: Format,
): string[] {
  let count = 0;
  const buckets = counts.map((inBucket, index) => {
    count += inBucket;
    const bound = bounds[index];
    const le = bound === undefined ? "+Inf" : Number.isInteger(bound) ? `${bound}.0` : String(bound);
    const exemplar = format === "openmetrics" ? exemplars[index] : undefined;
    return line(`${name}_bucket`, { ...labels, le }, count) + (exemplar === undefined ? "" : exemplarOf(exemplar));
  });
  return [...buckets, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, count)];
}

function exemplarOf({ traceId, value, at }: Exemplar): string {
  return ` # {trace_id="${traceId}"} ${value} ${at}`;
}

function line(name: string, labels: Labels = {}, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join()}}`} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
