import type { Item } from './columns.ts';
import { cost, counted } from './numbers.ts';
import { attributesText, whoseText } from './session.ts';
import { paint, type Screen, show } from './text.ts';

type What = (item: Item, screen: Screen) => string;

/** One short line: what was noted, and in whose session. */
const noted =
  (what: What) =>
  (item: Item, screen: Screen): string => {
    const { agent_id, session_id } = item;
    return `${what(item, screen)} ${paint(screen, 'dim', `for ${whoseText({ agent_id, session_id })}`)}\n`;
  };

const bold = (screen: Screen, found: unknown) => paint(screen, 'bold', show(found));

export const recordedContext = noted(({ recorded, source }, screen) => {
  const from = source === null ? '' : ` (${show(source)})`;
  return `recorded context ${bold(screen, recorded)}${from}`;
});
export const recordedAction = noted(({ action_index }) => `recorded action #${show(action_index)}`);
export const recordedError = noted(() => 'recorded the error');
export const recordedCall = noted(
  ({ call_id, cost_usd }, screen) =>
    `recorded LLM call ${bold(screen, call_id)} (cost ${cost(cost_usd as number | null)})`,
);
export const recordedSpan = noted(({ span_id }, screen) => `recorded span ${bold(screen, span_id)}`);
export const setAttributes = noted(({ attributes }) => `attributes are now ${attributesText(attributes) || 'empty'}`);
export const closedAttempt = noted(({ attempt, entries, actions }) => {
  const held = [counted(entries as number, 'entry', 'entries'), counted(actions as number, 'action')];
  return `closed attempt ${show(attempt)} with ${held.join(' and ')}`;
});
