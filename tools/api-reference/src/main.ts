import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { publicEntryPoints, root } from "./entry-points.ts";
import { readReference } from "./read-reference.ts";
import { validate } from "./validate.ts";

const folder = join(root, "docs/reference");

const reference = await readReference(publicEntryPoints);
const valid = validate(reference, publicEntryPoints);
await reference.app.generateDocs(reference.project, folder);
if (valid && !reference.app.logger.hasWarnings()) console.log(`Open ${pathToFileURL(join(folder, "index.html"))}`);
else process.exitCode = 1;
