import { expect, it } from "vitest";
import { readMonth } from "./month.js";

it.each([
  ...["2031-06", "2031/6", "2031.06", "203106", "06/31", "6/31", "06/2031", "6/2031", "06-31", "06.31", "06–31"],
  ...["0631", "062031", " 06 / 31\n", "06 2031", "6 31", "2031 06", "06\u00a0/\u00a02031"],
])("%j is June 2031", (text) => expect(readMonth(text)).toBe("2031-06"));

it.each([
  ["12/12", "2012-12"],
  ["201012", "2010-12"],
  ["121999", "1999-12"],
])("%s is %s", (text, month) => expect(readMonth(text)).toBe(month));

it.each([
  ...["", "13/31", "00/31", "0/2031", "2031-13", "2031", "06", "06/131", "06/3031", "06/31/01", "2031-06-01", "June"],
])("%j is no month", (text) => expect(readMonth(text)).toBeUndefined());
