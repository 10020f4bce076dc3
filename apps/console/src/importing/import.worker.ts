import { doTask, type ImportTask } from "./import-tasks.js";

// A thread of its own: the page stays responsive while 10 MB are read, a key is derived from a password, and items are sealed.
addEventListener(
  "message",
  ({ data: { id, task } }: MessageEvent<{ readonly id: number; readonly task: ImportTask }>) => {
    void doTask(task).then((result) => postMessage({ id, result }));
  },
);
