import { type Document, jsonDocument } from "@platform-rpc/server";

/** Creates the document at the root of the internal listener: what it is, and where an operator goes next. */
export function internalFrontPage(publicUrl: string): Document {
  return jsonDocument(
    200,
    {
      name: "Platform, private operations for operators",
      readiness: "/readyz",
      liveness: "/healthz",
      metrics: "/metrics",
      documentation: `${publicUrl}/docs`,
    },
    "no-store",
  );
}
