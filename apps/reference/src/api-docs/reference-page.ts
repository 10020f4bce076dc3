import type { Document } from "@platform-rpc/server";

/** The URLs of the OpenAPI documents and the script, relative to the page so that they also work under a base path. */
export interface ReferencePageOptions {
  readonly documents: readonly string[];
  readonly script: string;
}

/** Turns off fonts, telemetry, assistant and proxy: the page must not contact any other server. */
const configuration = {
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  telemetry: false,
  withDefaultFonts: false,
};

/** Allows inline styles, because the API reference creates its own. Scripts and everything else come from this server. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Creates the page of the API reference. It is rendered by Scalar, whose script this server serves. */
export function referencePage({ documents, script }: ReferencePageOptions): Document {
  const [url, ...others] = documents;
  const shown = others.length === 0 ? { url } : { sources: documents.map((each) => ({ url: each, title: each })) };
  const settings = JSON.stringify({ ...configuration, ...shown }).replaceAll('"', "&quot;");
  return {
    status: 200,
    contentType: "text/html; charset=utf-8",
    headers: { "Content-Security-Policy": policy, "Referrer-Policy": "no-referrer" },
    body: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="icon" href="data:,">
    <title>Platform API</title>
  </head>
  <body>
    <script id="api-reference" data-configuration="${settings}"></script>
    <script src="${script}"></script>
  </body>
</html>
`,
  };
}
