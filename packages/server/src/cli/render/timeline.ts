import type { AnswerItem } from './columns.ts';
import { cut, pad, paint, type Screen, show, when, widthOf } from './text.ts';

/** A line for each event, as in `git log --oneline`: its `seq`, time, type and details. */
export function timeline(item: AnswerItem, screen: Screen): string {
  const events = item.events as AnswerItem[];
  const places = widest(events.map(({ id }) => show(id)));
  const types = widest(events.map(({ event_type }) => show(event_type)));
  return events
    .map(({ id, created_at, event_type, summary }) => {
      const time = when(created_at);
      const room =
        screen.width === undefined ? Number.POSITIVE_INFINITY : screen.width - places - types - time.length - 3;
      return `${[
        paint(screen, 'yellow', show(id).padStart(places)),
        paint(screen, 'dim', time),
        paint(screen, 'cyan', pad(show(event_type), types)),
        cut(show(summary), Math.max(room, MIN_SUMMARY)),
      ].join(' ')}\n`;
    })
    .join('');
}

const MIN_SUMMARY = 20;

/** Not spread into Math.max: a list may have more items than a call takes arguments. */
const widest = (texts: readonly string[]) => texts.reduce((most, text) => Math.max(most, widthOf(text)), 0);
