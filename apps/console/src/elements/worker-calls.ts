declare global {
  /** Not in TypeScript's library. @see https://www.w3.org/TR/trusted-types/ */
  var trustedTypes:
    | {
        createPolicy(
          name: string,
          rules: { createScriptURL(url: string): string },
        ): { createScriptURL(url: string): URL };
      }
    | undefined;
}

/** Returns the URL of a worker as the security policy of the page requires it. @param policy has this name, and admits no other script */
export function trustedScript(policy: string, url: string): string | URL {
  return globalThis.trustedTypes?.createPolicy(policy, { createScriptURL: () => url }).createScriptURL(url) ?? url;
}

interface Call<Task> {
  readonly id: number;
  readonly task: Task;
}

interface Answer<Result> {
  readonly id: number;
  readonly result: Result;
}

/** Starts a worker that answers calls. @param inPage does a task in the page, if the browser cannot start the worker */
export function startWorker<Task, Result>(script: string | URL, inPage: (task: Task) => Promise<Result>) {
  const waiting = new Map<number, { readonly task: Task; resolve(result: Result | Promise<Result>): void }>();
  let last = 0;
  let failed = false;
  const worker = new Worker(script, { type: "module" });
  worker.onmessage = ({ data: { id, result } }: MessageEvent<Answer<Result>>) => {
    waiting.get(id)?.resolve(result);
    waiting.delete(id);
  };
  // Its script could not be loaded: the server may have another version of it now.
  worker.onerror = () => {
    failed = true;
    for (const { task, resolve } of waiting.values()) resolve(inPage(task));
    waiting.clear();
  };
  return {
    call(task: Task): Promise<Result> {
      if (failed) return inPage(task);
      last += 1;
      const call: Call<Task> = { id: last, task };
      return new Promise((resolve) => {
        waiting.set(call.id, { task, resolve });
        worker.postMessage(call);
      });
    },
    /** Ends what the worker does. Its promises never settle. */
    stop: () => worker.terminate(),
  };
}

export function answerCalls<Task, Result>(answer: (task: Task) => Result | Promise<Result>): void {
  addEventListener("message", async ({ data: { id, task } }: MessageEvent<Call<Task>>) => {
    const answered: Answer<Result> = { id, result: await answer(task) };
    postMessage(answered);
  });
}
