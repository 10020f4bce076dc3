import { type Call, checkedMethod, createListener, type ListenerOptions, type Platform } from "@platform-rpc/server";
import { type AddNoteRequest, NoteService } from "./gen/notes_pb.js";

/** Serves your own operation together with those of the platform: with the same tokens, limits, errors and log. */
export function createListenerWithNotes(platform: Platform, options: ListenerOptions) {
  const notes = new Map<string, string[]>();
  return createListener(
    {
      admit: platform.admit,
      routes(router) {
        platform.routes(router);
        router.service(NoteService, { addNote: checkedMethod(() => [], addNote) });
      },
    },
    options,
  );

  /** Called only if the gate has accepted the token and its scopes. The actor is its person and program. */
  async function addNote({ text }: AddNoteRequest, { actor }: Call) {
    const owner = `${actor.tenantId}/${actor.principalId}`;
    const own = [...(notes.get(owner) ?? []), text];
    notes.set(owner, own);
    return { count: own.length };
  }
}
