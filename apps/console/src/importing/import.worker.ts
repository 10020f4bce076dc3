import { answerCalls } from "../elements/worker-calls.js";
import { doTask } from "./import-tasks.js";

// A thread of its own: the page stays responsive while 10 MB are read, a key is derived from a password, and items are sealed.
answerCalls(doTask);
