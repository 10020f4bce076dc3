import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { ReactNode } from "react";

// The transports retry. What was loaded stays readable while the server is away. Offline, calls fail at once: none is queued
// and sent later.
const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: false, refetchOnWindowFocus: false, gcTime: Number.POSITIVE_INFINITY, networkMode: "always" },
    mutations: { networkMode: "always" },
  },
});

/** Gives the parts of the page that are loaded later one query client, so that they share what was loaded. */
export function Queries({ children }: { readonly children: ReactNode }) {
  return <QueryClientProvider client={queries}>{children}</QueryClientProvider>;
}
