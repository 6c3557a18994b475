import type { Output } from '@mem-service/contract';
import { type AnswerItem, columnsOf } from './columns.ts';
import { counted } from './numbers.ts';
import { table } from './table.ts';
import { type Screen, show } from './text.ts';

/** What rests on bad memory: entries, and the decisions after them. */
export function influence(item: AnswerItem, screen: Screen): string {
  const { entries, decisions, entries_found, decisions_found, hidden, complete } =
    item as unknown as Output<'quarantine.trace'>;
  const tables = [entries, decisions]
    .filter((rows) => rows.length > 0)
    .map((rows) => `${table<AnswerItem>(rows, columnsOf(undefined, rows, screen), screen)}\n`);
  const found = `${counted(entries_found, 'entry', 'entries')}, ${counted(decisions_found, 'decision')}`;
  const unseen = hidden === 0 ? '' : `; ${hidden} of the entries are not to be seen by you`;
  return `${tables.join('')}${found}${unseen}${complete ? '' : '; there may be more'}\n`;
}

export function underQuarantine(item: AnswerItem): string {
  const { quarantine_id, entries, decisions, complete } = item as unknown as Output<'quarantine.create'>;
  const rest = decisions === 0 ? '' : `; ${counted(decisions, 'decision')} rested on them`;
  const more = complete ? '' : '; there may be more that rests on them';
  const id = show(quarantine_id);
  return `${counted(entries, 'entry', 'entries')} under quarantine ${id}${rest}${more}; mem release ${id} brings them back\n`;
}
