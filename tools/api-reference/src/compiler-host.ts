import ts from "typescript";

/** The files that do not change while this process runs: installed packages, and the libraries of TypeScript. */
const installed = new Map<string, ts.SourceFile | undefined>();

/** Creates a compiler host that parses an installed file once for all programs, which takes longer than to check an example. */
export function createCompilerHost(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  return {
    ...host,
    getSourceFile(fileName, ...rest) {
      if (!fileName.includes("/node_modules/")) return host.getSourceFile(fileName, ...rest);
      if (!installed.has(fileName)) installed.set(fileName, host.getSourceFile(fileName, ...rest));
      return installed.get(fileName);
    },
  };
}
