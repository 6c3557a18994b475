import type { Item } from './columns.ts';
import { nameOf } from './entry.ts';
import { oneLine, paint, type Screen, show, when } from './text.ts';

/** An event in one line: its number, when, what, to what, by whom, and whatever else it tells. */
export function eventLine(item: Item, screen: Screen): string {
  const { seq, event_type, agent_id, actor_agent_id, branch, entity_path, key, version, created_at, ...rest } = item;
  const number = version === null ? '' : ` v${show(version)}`;
  const who = actor_agent_id === undefined ? show(agent_id) : `${show(actor_agent_id)} for ${show(agent_id)}`;
  const parts = [
    show(seq),
    paint(screen, 'dim', when(created_at)),
    paint(screen, 'yellow', show(event_type)),
    entity_path === null ? '' : nameOf({ entity_path, key }, screen) + number,
    `by ${who}`,
    branch === 'main' ? '' : `on ${show(branch)}`,
    ...Object.entries(rest).map(([name, found]) => paint(screen, 'dim', `${oneLine(name)}=${show(found)}`)),
  ];
  return `${parts.filter((part) => part !== '').join('  ')}\n`;
}
