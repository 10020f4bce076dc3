import { placeIn, startOf } from "../finding.ts";
import { contractHeaders } from "../lock/headers.ts";
import { sourceAt } from "../sources.ts";
import type { Rule } from "./rule.ts";

const reader = "packages/server/src/http/request-headers.ts";

/** Headers that are HTTP's own business: no caller of an operation sets them to say something to us. */
const ofHttp: ReadonlySet<string> = new Set([
  "content-encoding",
  "content-length",
  "expect",
  "host",
  "origin",
  "transfer-encoding",
]);

export const serverHeaders: Rule = {
  id: "server-headers",
  purpose:
    "The server judges no request header that the contract does not document: a caller cannot send what it never heard of.",
  fix: "Document the header in tools/contract/src/openapi/headers.ts, with `required` as the server sees it.",
  *offences({ sources }) {
    const text = sourceAt(sources, reader);
    const judged = [...text.matchAll(/^ {2}\["([a-z-]+)", "\w+"\],$/gm)];
    const documented = new Set(Object.keys(contractHeaders()).map((name) => name.toLowerCase()));
    if (judged.length === 0) yield { place: startOf(reader), message: "lists no header that the server judges" };
    for (const { 1: name = "", index } of judged) {
      if (documented.has(name) || ofHttp.has(name)) continue;
      yield { place: placeIn(reader, text, index + 3), message: `judges the header ${name}, which is not documented` };
    }
  },
};
