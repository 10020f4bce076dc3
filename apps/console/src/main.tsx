import "./style.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { loadPartsWhileIdle } from "./elements/part-boundary.js";
import { StartFailed } from "./elements/start-failed.js";
import { router } from "./router.js";
import { ConsoleContext, createCalls } from "./session/console-context.js";
import { openSession } from "./session/session.js";

const container = document.getElementById("root");
if (container === null) throw new TypeError("The page has no element with the id root.");
const root = createRoot(container);
try {
  const session = await openSession();
  const calls = createCalls(session.apiUrl);
  // The transports retry. What was loaded stays readable while the server is away.
  const queries = new QueryClient({
    defaultOptions: { queries: { retry: false, refetchOnWindowFocus: false, gcTime: Number.POSITIVE_INFINITY } },
  });
  root.render(
    <ConsoleContext value={{ session, calls }}>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </ConsoleContext>,
  );
  void loadPartsWhileIdle();
} catch (error) {
  root.render(<StartFailed error={error} />);
}
