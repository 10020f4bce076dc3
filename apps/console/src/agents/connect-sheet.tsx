import { CopyButton } from "../detail/copy-button.js";
import { Sheet } from "../elements/sheet.js";
import { useConsole } from "../session/console-context.js";

/** The lines that connect the clients of MCP and the command line. The programs are not released: they run from a clone of the repository. */
export function ConnectSheet({ onClose }: { readonly onClose: () => void }) {
  const { apiUrl, mcpUrl } = useConsole().session;
  const server = { mcpServers: { platform: { type: "http", url: mcpUrl } } };
  return (
    <Sheet title="Connect an agent" onClose={onClose}>
      <p>Each of these opens a page that asks you what it may do. Nothing has access before you approve.</p>
      {mcpUrl !== undefined && (
        <>
          <Lines label="Claude Code" text={`claude mcp add --transport http platform ${mcpUrl}`} />
          <Lines label="Other clients of MCP, in their settings" text={JSON.stringify(server, undefined, 2)} />
        </>
      )}
      <Lines
        label="Command line, in a clone of the repository"
        text={`npx -y pnpm@12 build --filter=@platform-rpc/cli...\nnode_modules/.bin/node packages/cli/dist/main.js login --url ${apiUrl}`}
      />
      <Lines
        label="MCP server on your computer, in a clone of the repository"
        text={[
          "npx -y pnpm@12 build --filter=@platform-rpc/mcp...",
          `claude mcp add platform-local --env PLATFORM_URL=${apiUrl} -- \\`,
          '  "$PWD/node_modules/.bin/node" "$PWD/packages/mcp/dist/main.js"',
        ].join("\n")}
      />
      <Lines
        label="Broker: agents use your secrets and never see them. After the build of the command line"
        text={[
          `node_modules/.bin/node packages/cli/dist/main.js login --url ${apiUrl} --scope vault.items:read vault.items:use`,
          "node_modules/.bin/node packages/cli/dist/main.js broker",
        ].join("\n")}
      />
      <p>
        <a href={`${apiUrl}/docs`} target="_blank" rel="noreferrer">
          Documentation
        </a>
      </p>
    </Sheet>
  );
}

function Lines({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <section className="lines">
      <div className="lines-head">
        <h3>{label}</h3>
        <CopyButton label={label} value={async () => text} stays />
      </div>
      <pre>{text}</pre>
    </section>
  );
}
