import { idOf } from '../labels.ts';
import { known, type Members, textOf } from '../members.ts';
import { cutText } from '../text.ts';
import type { ResultItem } from '../types.ts';
import type { PagerDutyEvent } from './event.ts';
import { nameOf } from './names.ts';

/** How much of a note or a status update is kept. */
export const NOTE_CHARACTERS = 1000;

/** How the web page of an incident marks the note that is written when it is resolved. */
const RESOLUTION = /^\s*resolution notes?:\s*/i;

export function noteItem(event: PagerDutyEvent, note: Members): Record<string, ResultItem> | undefined {
  const id = idOf(note.id) ?? idOf(event.id);
  const text = textOf(note.content) ?? textOf(note.message);
  if (id === undefined || text === undefined || event.occurred_at === undefined) return undefined;
  const item = { at: event.occurred_at, by: nameOf(event.agent), text: cutText(text, NOTE_CHARACTERS) };
  return { [id]: known(item) };
}

export function resolutionOf(note: string | undefined): { resolution_notes?: string } {
  const mark = note === undefined ? null : RESOLUTION.exec(note);
  return note === undefined || mark === null ? {} : { resolution_notes: cutText(note.slice(mark[0].length)) };
}
