import type { Document } from "@platform-rpc/server";

/** Where the page finds what it shows, relative to its own address: it also works under a base path. */
export interface ReferencePageOptions {
  readonly document: string;
  readonly script: string;
}

/** No fonts, no telemetry, no assistant, no proxy: nothing that would leave this server. */
const configuration = {
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  telemetry: false,
  withDefaultFonts: false,
};

/** Styles may be inline, because the API reference makes its own; scripts and everything else come from this server. */
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

/** The page on which people read the API: Scalar's API reference, shown by a script that this server carries. */
export function referencePage({ document, script }: ReferencePageOptions): Document {
  const settings = JSON.stringify({ ...configuration, url: document }).replaceAll('"', "&quot;");
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
