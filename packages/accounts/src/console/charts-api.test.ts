import { expect, it, onTestFinished } from "vitest";
import type { CallSeries } from "../http/call-series.js";
import { createAccountsSite } from "../testing/accounts-site.js";
import { signUpPerson } from "../testing/person.js";

const figures = { deletions: 6, exchanges: 0, refusals: { VERSION_CONFLICT: 1 }, p50: 1.5, p99: undefined };

async function setUp(callSeries?: CallSeries) {
  const site = await createAccountsSite({ callSeries });
  onTestFinished(site.close);
  return { site, ...(await signUpPerson(site)) };
}

const series = (asked: number[] = []): CallSeries => ({
  read(forMs, most) {
    asked.push(forMs, most);
    return [{ at: 0, ...figures }];
  },
});

it("people who are signed in see the figures of the period", async () => {
  const asked: number[] = [];
  const { browser } = await setUp(series(asked));
  const { status, headers, body } = await browser.send("/account/api/charts?hours=6");
  expect({ status, cache: headers.get("Cache-Control") }).toEqual({ status: 200, cache: "no-store" });
  const { p99: _, ...sent } = figures;
  expect(body).toEqual({ points: [{ at: "1970-01-01T00:00:00.000Z", ...sent }] });
  expect(asked).toEqual([6 * 60 * 60_000, 240]);
});

it("nobody sees them unless the operator allows it", async () => {
  const { browser } = await setUp();
  const sent = await browser.send("/account/api/charts?hours=1");
  expect(sent).toMatchObject({ status: 403, body: { reason: "CHARTS_OFF" } });
});

it("they need a session and a known period", async () => {
  const { site, browser } = await setUp(series());
  expect(await site.openBrowser().send("/account/api/charts?hours=1")).toMatchObject({ status: 401 });
  for (const query of ["", "?hours=2", "?hours=-1", "?hours=1e9"]) {
    expect(await browser.send(`/account/api/charts${query}`)).toMatchObject({ status: 400 });
  }
});
