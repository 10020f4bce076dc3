/** The first two forms of an HTTP-date. The one of RFC 850 has dashes, and two digits of the year. */
const usual = /^\w+, ([ \d]\d)[ -](\w{3})[ -](\d{4}|\d\d) ([\d:]{8}) GMT$/;
/** Its third form: that of C's `asctime`. */
const asctime = /^\w{3} (\w{3}) ([ \d]\d) ([\d:]{8}) (\d{4})$/;

/** Reads an HTTP-date (RFC 9110 section 5.6.7) in milliseconds; NaN for other text. A year of two digits is at most 50 years after `now`. */
export function readHttpDate(text: string, now: number): number {
  const [, day, month, year = "", time] = usual.exec(text.replace(asctime, "Thu, $2 $1 $4 $3 GMT")) ?? [];
  const short = 2000 + Number(year);
  const latest = new Date(now).getUTCFullYear() + 50;
  const full = year.length > 2 ? year : short - (short > latest ? 100 : 0);
  // Every runtime reads this form, whatever the weekday is.
  return Date.parse(`Thu, ${day} ${month} ${full} ${time} GMT`);
}
