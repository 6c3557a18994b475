import { eventTypes } from '@mem-service/contract';
import type { AnswerItem } from './columns.ts';
import { entryLabel } from './entry.ts';
import { isGood } from './outcome-name.ts';
import { type Colour, fit, isTerminal, oneLine, pad, paint, type Screen, show, when } from './text.ts';

/** Colours what a watching user looks for: losses, successes, failures and new entries. */
const COLOURS: Readonly<Record<string, Colour>> = {
  write: 'green',
  commit: 'green',
  delete: 'red',
  erase: 'red',
  error: 'red',
  attempt: 'red',
  expire: 'dim',
  outcome: 'bold',
  trace: 'cyan',
  cross_agent_read: 'cyan',
};

/** On a terminal, types are padded to this width and times are short. */
const TYPE_WIDTH = Math.max(...eventTypes.filter((type) => COLOURS[type]).map((type) => type.length));

const colourOf = ({ event_type, outcome_type }: AnswerItem): Colour => {
  if (event_type === 'outcome' && typeof outcome_type === 'string') return isGood(outcome_type) ? 'green' : 'red';
  return COLOURS[show(event_type)] ?? 'yellow';
};

/** An event on one line: number, time, type, object, agent and other details. */
export function eventLine(item: AnswerItem, screen: Screen): string {
  const { seq, event_type, agent_id, actor_agent_id, branch, entity_path, key, version, created_at, ...rest } = item;
  const number = version === null ? '' : ` v${show(version)}`;
  const who = actor_agent_id === undefined ? show(agent_id) : `${show(actor_agent_id)} for ${show(agent_id)}`;
  const live = isTerminal(screen);
  const parts = [
    paint(screen, 'dim', show(seq)),
    paint(screen, 'dim', live ? when(created_at).slice(11, -1) : when(created_at)),
    paint(screen, colourOf(item), live ? pad(show(event_type), TYPE_WIDTH) : show(event_type)),
    entity_path === null ? '' : entryLabel({ entity_path, key }, screen) + number,
    `by ${who}`,
    branch === 'main' ? '' : `on ${show(branch)}`,
    ...Object.entries(rest).map(([name, found]) => paint(screen, 'dim', `${oneLine(name)}=${show(found)}`)),
  ];
  return `${fit(screen, parts.filter((part) => part !== '').join('  '))}\n`;
}

/** Events grouped by day, for looking back. */
export function eventLines(items: readonly AnswerItem[], screen: Screen): string {
  if (!isTerminal(screen)) return items.map((item) => eventLine(item, screen)).join('');
  const days = items.map(({ created_at }) => show(created_at).slice(0, 10));
  return items
    .map((item, at) => {
      const head =
        days[at] === days[at - 1] ? '' : `${at === 0 ? '' : '\n'}${paint(screen, 'bold', days[at] as string)}\n`;
      return head + eventLine(item, screen);
    })
    .join('');
}
