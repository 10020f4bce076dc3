import { serveWriter } from "../thread/serve-writer.js";
import { endAtRequest } from "./end-thread.js";

// Serves a writer whose thread ends when a test asks for it.
serveWriter(endAtRequest);
