import type { ProgramInput } from "./program-input.ts";
import { runProgram } from "./run-program.ts";

/** A worker that runs the program with the input in the request's body, and responds with the result. */
export const worker = {
  async fetch(request: Request): Promise<Response> {
    const input: ProgramInput = await request.json();
    return Response.json(await runProgram(input));
  },
};
