import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { z } from "zod";
import { type Finding, unjudged } from "../model/finding.ts";
import type { Base } from "./history.ts";

const run = promisify(execFile);
const folder = "tools/contract";
const source = `${folder}/src`;
/** A commit with this file has a gate that can judge the tree of another commit. */
const thisFile = `${source}/baseline/base-gate.ts`;
const packages = fileURLToPath(new URL("../../node_modules", import.meta.url));

const reportSchema = z.object({
  findings: z.array(
    z.object({
      rule: z.string(),
      verdict: z.enum(["fails", "noted", "unjudged"]),
      place: z.object({ file: z.string(), line: z.number(), column: z.number() }),
      message: z.string(),
      change: z.enum(["breaking", "additive", "documentation"]).optional(),
    }),
  ),
});

/**
 * Lets the gate of the merge base judge the tree under `root`, if this gate differs from it: otherwise a change could contain the rules
 * that accept it. Returns what that gate rejects. The first version of the gate has none before it, and is judged by its tests.
 */
export async function judgeByBase(root: string, base: Base): Promise<readonly Finding[]> {
  const differs = base.changed.some((file) => file.startsWith(`${source}/`));
  if (!differs || (await base.read(thisFile)) === undefined) return [];
  const target = await mkdtemp(join(tmpdir(), "gate-"));
  try {
    const archive = join(target, "gate.tar");
    await base.archive(archive, source);
    await run("tar", ["-xf", archive, "-C", target]);
    await symlink(packages, join(target, folder, "node_modules"));
    const findings = await judge(join(target, source, "main.ts"), root);
    return findings.filter(({ verdict }) => verdict !== "noted").map((finding) => attributed(finding, base));
  } catch (error) {
    const message = `The gate of the merge base ${base.commit.slice(0, 10)} could not judge the change: ${error}`;
    return [unjudged("base-gate", source, message)];
  } finally {
    await rm(target, { recursive: true, force: true });
  }
}

async function judge(gate: string, root: string): Promise<readonly Finding[]> {
  const args = [gate, "judge", "--root", root, "--json"];
  const output = await run(process.execPath, args, { maxBuffer: 1 << 28 }).then(
    ({ stdout }) => stdout,
    // It also exits with a status other than 0 when it has findings.
    (error: { readonly stdout?: string; readonly stderr?: string }) => error.stdout || Promise.reject(error.stderr),
  );
  return reportSchema.parse(JSON.parse(output)).findings.map(({ change, ...finding }) => ({
    ...finding,
    ...(change !== undefined && { change }),
  }));
}

function attributed(finding: Finding, { commit }: Base): Finding {
  const sentence =
    `The gate of the merge base ${commit.slice(0, 10)} reports this: a change is judged by the rules from before it. ` +
    "Merge a changed rule first, in a separate change.";
  return { ...finding, message: `${finding.message}\n${sentence}` };
}
