import { useId } from "react";
import { linearScale, timeTicks, valueText, valueTicks } from "./scale.js";
import { pathOf, type Series } from "./series.js";

export interface LineChartProps {
  readonly title: string;
  /** The unit of the values, such as `ms`. */
  readonly unit: string;
  /** In milliseconds since the epoch, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** Whether values stay until the next one. Default: lines connect them. */
  readonly step?: boolean;
  /** What is shown without values. */
  readonly empty: string;
}

const [width, height] = [640, 200];
const inner = { left: 52, right: 12, top: 10, bottom: 26 };

/** A chart of lines over time, with a summary in words, and a table with all values. */
export function LineChart({ title, unit, times, series, step = false, empty }: LineChartProps) {
  const id = useId();
  const [from, to] = [times[0], times.at(-1)];
  const all = series.flatMap(({ values }) => values.filter((value) => value !== undefined));
  return (
    <section aria-labelledby={id} className="chart">
      <h2 id={id}>
        {title} <span className="hint">({unit})</span>
      </h2>
      {from === undefined || to === undefined || all.length === 0 ? (
        <p>{empty}</p>
      ) : (
        <>
          <Plot times={times} series={series} step={step} from={from} to={to} largest={Math.max(...all)} />
          <ul className="legend">
            {series.map(({ name, values }, n) => (
              <li key={name}>
                <svg className={`line line-${n}`} width="24" height="8" aria-hidden>
                  <path d="M0 4h24" />
                </svg>
                {name}: {summaryOf(values, unit)}
              </li>
            ))}
          </ul>
          <Values title={title} times={times} series={series} />
        </>
      )}
    </section>
  );
}

interface PlotProps extends Pick<LineChartProps, "times" | "series"> {
  readonly step: boolean;
  readonly from: number;
  readonly to: number;
  readonly largest: number;
}

/** The lines and axes, for people who see them: the legend and the table say the same. */
function Plot({ times, series, step, from, to, largest }: PlotProps) {
  const ticks = valueTicks(largest);
  const x = linearScale([from, to], [inner.left, width - inner.right]);
  const y = linearScale([0, ticks.at(-1) ?? 1], [height - inner.bottom, inner.top]);
  const zoneMs = -new Date(to).getTimezoneOffset() * 60_000;
  const format = to - from > 36 * 60 * 60_000 ? date : time;
  return (
    <svg viewBox={`0 0 ${width} ${height}`} aria-hidden className="plot">
      {ticks.map((tick) => (
        <g key={tick}>
          <path className="grid" d={`M${inner.left} ${y(tick)}H${width - inner.right}`} />
          <text x={inner.left - 8} y={y(tick) + 4} textAnchor="end">
            {valueText(tick)}
          </text>
        </g>
      ))}
      {timeTicks(from, to, 6, zoneMs).map((tick) => (
        <text key={tick} x={x(tick)} y={height - 6} textAnchor="middle">
          {format.format(tick)}
        </text>
      ))}
      {series.map(({ name, values }, n) => (
        <path
          key={name}
          className={`line line-${n}`}
          d={pathOf(
            times.map((at, place) => {
              const value = values[place];
              return [x(at), value === undefined ? undefined : y(value)];
            }),
            step,
          )}
        />
      ))}
    </svg>
  );
}

function Values({ title, times, series }: Pick<LineChartProps, "title" | "times" | "series">) {
  return (
    <details>
      <summary>{title}: all values as a table</summary>
      <table className="values">
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((at, place) => (
            <tr key={at}>
              <th scope="row">{full.format(at)}</th>
              {series.map(({ name, values }) => (
                <td key={name}>{textOf(values[place])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

const time = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const date = new Intl.DateTimeFormat("en", { month: "short", day: "numeric" });
const full = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });

function summaryOf(values: Series["values"], unit: string): string {
  const known = values.filter((value) => value !== undefined);
  return `now ${textOf(values.at(-1))}, at most ${textOf(known.length === 0 ? undefined : Math.max(...known))} ${unit}`;
}

function textOf(value: number | undefined): string {
  return value === undefined ? "no calls" : valueText(value);
}
