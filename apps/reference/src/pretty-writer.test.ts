import { expect, it } from "vitest";
import { createLog } from "./log.js";
import { createPrettyWriter } from "./pretty-writer.js";

it("the log of a terminal says the level, the message and the fields in lines for people, not in JSON", async () => {
  let written = "";
  const output = {
    write: (line: string) => {
      written += line;
    },
    state: () => ({ droppedLines: 0, error: undefined }),
    onRecovered() {},
    flushAtExit() {},
  };
  const log = createLog("warn", await createPrettyWriter(output));
  log.info("not shown");
  log.warn({ job: "seal" }, "the job is late");
  expect(written).toMatch(/WARN.*the job is late.*\n.*job.*seal/);
  expect(written).not.toMatch(/^\{|not shown/);
});
