import type { AnswerItem } from './columns.ts';
import { cut, fit, pad, paint, type Screen, show, whenOn, widthOf } from './text.ts';

/** A line for each event, as in `git log --oneline`: its `seq`, time, type and details. */
export function timeline(item: AnswerItem, screen: Screen): string {
  const events = item.events as AnswerItem[];
  const places = widest(events.map(({ id }) => show(id)));
  const types = widest(events.map(({ event_type }) => show(event_type)));
  const times = events.map(({ created_at }) => whenOn(screen, created_at));
  const timeWidth = widest(times);
  return events
    .map(({ id, event_type, summary }, at) => {
      const time = pad(times[at] as string, timeWidth);
      const room =
        screen.width === undefined ? Number.POSITIVE_INFINITY : screen.width - places - types - timeWidth - 3;
      const line = [
        paint(screen, 'yellow', show(id).padStart(places)),
        paint(screen, 'dim', time),
        paint(screen, 'cyan', pad(show(event_type), types)),
        cut(show(summary), Math.max(room, MIN_SUMMARY)),
      ].join(' ');
      return `${fit(screen, line)}\n`;
    })
    .join('');
}

const MIN_SUMMARY = 20;

/** Not spread into Math.max: a list may have more items than a call takes arguments. */
const widest = (texts: readonly string[]) => texts.reduce((most, text) => Math.max(most, widthOf(text)), 0);
