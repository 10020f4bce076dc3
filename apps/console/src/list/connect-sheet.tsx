import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { Sheet } from "../elements/sheet.js";
import { useConsole } from "../session/console-context.js";

/** The lines that connect the command line and the clients of MCP. */
export function ConnectSheet({ onClose }: { readonly onClose: () => void }) {
  const { apiUrl } = useConsole().session;
  const server = { command: "npx", args: ["-y", "@platform-rpc/mcp"], env: { PLATFORM_URL: apiUrl } };
  return (
    <Sheet title="Connect an agent" onClose={onClose}>
      <p>Each of these opens a page that asks you what it may do. Nothing has access before you approve.</p>
      <Lines label="Command line" text={`npm install --global @platform-rpc/cli\nplatform login --url ${apiUrl}`} />
      <Lines
        label="Clients of MCP, in their settings"
        text={JSON.stringify({ mcpServers: { platform: server } }, undefined, 2)}
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
  const [done, setDone] = useState("");
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setDone("Copied"),
      () => setDone("Not copied: select the lines"),
    );
  };
  return (
    <section className="lines">
      <div className="lines-head">
        <h3>{label}</h3>
        <span role="status" className="hint">
          {done}
        </span>
        <Button className="quiet" aria-label={`Copy: ${label}`} onPress={copy}>
          Copy
        </Button>
      </div>
      <pre>{text}</pre>
    </section>
  );
}
