import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { addOperation } from "./add-operation.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const usage = "Usage: pnpm new operation <Service>.<Method>, for example: pnpm new operation ItemService.ListItems";

const [kind, name, ...rest] = process.argv.slice(2);
const [, service, method] = /^([A-Z][A-Za-z0-9]*Service)\.([A-Z][A-Za-z0-9]*)$/.exec(name ?? "") ?? [];
if (kind !== "operation" || service === undefined || method === undefined || rest.length > 0) {
  console.error(usage);
  process.exitCode = 2;
} else {
  const { changes, failures } = await addOperation(root, { service, method });
  for (const { path } of changes) console.log(path);
  for (const { error } of failures) console.error(error);
  process.exitCode = failures.length > 0 ? 1 : 0;
  if (failures.length === 0) {
    execFileSync("pnpm", ["--silent", "format"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
    console.log(
      `\nEvery TODO in these files fails a check until it is written. Next: docs/extending.md, then \`pnpm generate\`.`,
    );
  }
}
