import { publicEntryPoints } from "./entry-points.ts";
import { readReference } from "./read-reference.ts";
import { validate } from "./validate.ts";

if (!validate(await readReference(publicEntryPoints), publicEntryPoints)) process.exitCode = 1;
