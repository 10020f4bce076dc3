/** Returns the reason in an error body of the platform. Undefined if the body is another. */
export function reasonIn(body: string): string | undefined {
  try {
    const { details }: { readonly details?: unknown } = Object(JSON.parse(body));
    for (const detail of Array.isArray(details) ? details : []) {
      const { type, debug }: { readonly type?: unknown; readonly debug?: unknown } = Object(detail);
      const { reason }: { readonly reason?: unknown } = Object(debug);
      if (type === "google.rpc.ErrorInfo" && typeof reason === "string") return reason;
    }
  } catch {
    // A proxy's page.
  }
  return undefined;
}
