import type { Plot } from "./plot.ts";
import { tell } from "./tell.ts";

/** A worker: the plot comes as the body of a request, and the answer tells. */
export const worker = {
  async fetch(request: Request): Promise<Response> {
    const plot: Plot = await request.json();
    return Response.json(await tell(plot));
  },
};
