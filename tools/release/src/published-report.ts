import { join } from "node:path";
import { apiReport } from "./api-report.ts";
import { defaultReport } from "./default-report.ts";
import { programReport } from "./program-report.ts";
import { toolReport } from "./tool-report.ts";
import type { WorkspacePackage } from "./workspace.ts";

/**
 * Returns everything that callers of a package rely on, as text: its TypeScript API, its programs, the tools of its MCP server, and its
 * defaults. Needs the built package.
 *
 * @throws Error when the package is not built, or something in it cannot be read.
 */
export async function publishedReport(published: WorkspacePackage): Promise<string> {
  const { folder, manifest } = published;
  const programs = Object.entries(manifest.bin ?? {}).map(([name, file]) => {
    const main = join(folder, file);
    return section(name, [...programReport(main), ...(name.endsWith("-mcp") ? toolReport(main) : [])]);
  });
  return [apiReport(published), ...programs, section("defaults", await defaultReport(manifest.name))]
    .filter(Boolean)
    .join("\n");
}

function section(heading: string, declarations: readonly string[]): string {
  return declarations.length === 0 ? "" : `## ${heading}\n\n\`\`\`text\n${declarations.join("\n\n")}\n\`\`\`\n`;
}
