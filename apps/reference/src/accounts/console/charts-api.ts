import { Hono } from "hono";
import * as z from "zod";
import type { AccountsEnvironment } from "../accounts-environment.js";
import type { AccountsParts } from "../accounts-parts.js";
import { apiError } from "../http/api-error.js";
import { requireSession } from "../sessions/require-session.js";

const chartsQuery = z.object({ hours: z.enum(["1", "6", "24"]).transform(Number) });

const hourMs = 60 * 60_000;

/** The largest number of points of a chart. */
const mostPoints = 240;

/** The endpoint of the console's page "Charts": what this process does. People see it only if the operator allows it. */
export function chartsApi({ callSeries }: Pick<AccountsParts, "callSeries">): Hono<AccountsEnvironment> {
  const routes = new Hono<AccountsEnvironment>();
  routes.get("/account/api/charts", requireSession(), (context) => {
    if (callSeries === undefined) return apiError(context, "CHARTS_OFF");
    const query = chartsQuery.safeParse(context.req.query()).data;
    if (query === undefined) return apiError(context, "INVALID_REQUEST");
    const points = callSeries
      .read(query.hours * hourMs, mostPoints)
      .map(({ at, ...figures }) => ({ at: new Date(at).toISOString(), ...figures }));
    return context.json({ points }, 200, { "Cache-Control": "no-store" });
  });
  return routes;
}
