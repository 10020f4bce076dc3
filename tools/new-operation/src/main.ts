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
  const { created, extended, failures } = await addOperation(root, { service, method });
  if (failures.length > 0) {
    for (const failure of failures) console.error(failure);
    process.exitCode = 1;
  } else {
    const written = [...created, ...extended];
    const format = (command: string, extension: string) =>
      execFileSync("pnpm", [...command.split(" "), ...written.filter((path) => path.endsWith(extension))], {
        cwd: root,
        stdio: ["ignore", "ignore", "inherit"],
      });
    format("exec biome check --write", ".ts");
    format("exec buf format --write", ".proto");
    for (const path of created) console.log(`created   ${path}`);
    for (const path of extended) console.log(`extended  ${path}`);
    console.log(
      "\nWrite each part that is marked TODO. `npx -y pnpm@12 exec vitest run unfinished` lists them, and fails until none is left." +
        "\nNext: docs/extending.md.",
    );
  }
}
