// The broker of a team. It waits until a person signs in and unlocks with the program `platform`, which has the same folder.
import { nodeTooOld } from "@platform-rpc/signed-in/node-too-old";

const message = nodeTooOld("platform-broker", "22.12");
if (message === undefined)
  await (await import("./start.js")).start(["broker", "--wait", ...process.argv.slice(2)], true);
else {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
