import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorMessage } from "../elements/error-message.js";
import { useTitle } from "../elements/use-title.js";
import { callAccount } from "../session/session.js";
import "./charts.css";
import { LineChart } from "./line-chart.js";
import { type CallsPoint, refusalsOf } from "./series.js";
import { VaultSize } from "./vault-size-chart.js";

const periods: Readonly<Record<string, string>> = { 1: "Last hour", 6: "Last 6 hours", 24: "Last 24 hours" };

const refreshMs = 10_000;

const empty = "No figures yet. The server takes them every 10 seconds since its start.";
const noCalls = "No calls in this period. Delete an item, or let an agent sign in: it then appears here.";

/** What the server does, and how a vault grows. */
export function ChartsPage() {
  useTitle("Charts");
  const [hours, setHours] = useState("1");
  const { data, error } = useQuery({
    queryKey: ["charts", hours],
    queryFn: () => callAccount<{ readonly points: readonly CallsPoint[] }>(`charts?hours=${hours}`),
    refetchInterval: ({ state }) => (state.error === null ? refreshMs : false),
    staleTime: 0,
  });
  const points = data?.points ?? [];
  const times = points.map(({ at }) => Date.parse(at));
  const shown = { times, empty: points.length === 0 ? empty : noCalls };
  return (
    <>
      <h1>Charts</h1>
      <ErrorMessage error={error} />
      {data === undefined && error === null && <p role="status">Loading…</p>}
      {data !== undefined && (
        <>
          <p>
            What the server process that answered this page does, for everyone. If there are several processes, each
            shows its own figures.
          </p>
          <div className="filters">
            <label htmlFor="period">Period</label>
            <select id="period" value={hours} onChange={({ target }) => setHours(target.value)}>
              {Object.entries(periods).map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </select>
          </div>
          <LineChart
            title="Deletions and exchanges"
            unit="a minute"
            series={[
              { name: "Deletions", values: points.map(({ deletions }) => deletions) },
              { name: "Exchanges of device codes", values: points.map(({ exchanges }) => exchanges) },
            ]}
            {...shown}
          />
          <LineChart
            title="Latency"
            unit="ms"
            series={[
              { name: "Half of the calls", values: points.map(({ p50 }) => p50) },
              { name: "99 % of the calls", values: points.map(({ p99 }) => p99) },
            ]}
            {...shown}
          />
          <LineChart
            title="Refused calls"
            unit="a minute"
            series={refusalsOf(points)}
            times={times}
            empty={points.length === 0 ? empty : "No call was refused in this period."}
          />
        </>
      )}
      <VaultSize />
    </>
  );
}
