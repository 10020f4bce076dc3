/** The module node:sqlite. An import of a Node without it would fail before anything could say why. */
export const nodeSqlite = requireSqlite(process.getBuiltinModule("node:sqlite"));

function requireSqlite<Module>(found: Module | undefined): Module {
  if (found !== undefined) return found;
  const { node } = process.versions;
  throw new Error(
    `@platform-rpc/server needs Node 24 or newer, and this is Node ${node}. Install it from https://nodejs.org.`,
  );
}
