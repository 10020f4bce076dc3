import { useTitle } from "../elements/use-title.js";
import { Inspector } from "../inspector/inspector.js";
import { connectionOf } from "../shell/connection-state.js";
import { useLibrary } from "../vaults/library.js";

/** For people who write programs: the calls of the page, and a way to stop those that follow the vaults. */
export function DeveloperPage() {
  useTitle("Developer");
  const library = useLibrary();
  const paused = connectionOf(library).state === "paused";
  return (
    <>
      <h1>Developer</h1>
      <section aria-labelledby="changes">
        <h2 id="changes">Changes of your vaults</h2>
        <p>
          {paused
            ? "Paused: the page does not ask for changes."
            : "The page asks for changes of each vault, and shows them at once."}
        </p>
        <ul className="plain">
          {[...library.feeds].map(([vaultId, { copy, state }]) => (
            <li key={vaultId}>
              <code>{vaultId}</code>: change {copy.sequence}, {state}
            </li>
          ))}
        </ul>
        <button type="button" onClick={() => library.follow(paused)}>
          {paused ? "Resume" : "Pause"}
        </button>
      </section>
      <Inspector />
    </>
  );
}
