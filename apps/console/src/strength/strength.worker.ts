import { answerCalls } from "../elements/worker-calls.js";
import { measure } from "./measure.js";

// A thread of its own: an estimate takes longer than a frame, and the dictionaries longer than that.
answerCalls(measure);
