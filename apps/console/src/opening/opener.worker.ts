import { answerCalls } from "../elements/worker-calls.js";
import { openItems } from "./open-items.js";

// A thread of its own: the page stays responsive while 10,000 titles are decrypted.
answerCalls(openItems);
