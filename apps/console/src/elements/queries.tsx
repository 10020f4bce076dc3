import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { ReactNode } from "react";

// The transports retry. What was loaded stays readable while the server is away.
const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, refetchOnWindowFocus: false, gcTime: Number.POSITIVE_INFINITY } },
});

/** Gives the parts of the page that are loaded later one query client, so that they share what was loaded. */
export function Queries({ children }: { readonly children: ReactNode }) {
  return <QueryClientProvider client={queries}>{children}</QueryClientProvider>;
}
