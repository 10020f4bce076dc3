/**
 * Runs the lanes in parallel, and the scripts of a lane one after the other. All of them run, even if some fail, so that one
 * check reports everything that has to be fixed.
 */
export async function runLanes<Result>(
  lanes: readonly (readonly string[])[],
  run: (script: string) => Promise<Result>,
): Promise<readonly Result[]> {
  const results = await Promise.all(
    lanes.map(async (lane) => {
      const done: Result[] = [];
      for (const script of lane) done.push(await run(script));
      return done;
    }),
  );
  return results.flat();
}
