import type { AnswerItem } from './columns.ts';
import { cost, counted } from './numbers.ts';
import { attributesText, whoseText } from './session.ts';
import { paint, type Screen, show } from './text.ts';

type DescribeRecord = (item: AnswerItem, screen: Screen) => string;

/** One short line: what was recorded, and in which session. */
const recordedLine =
  (what: DescribeRecord) =>
  (item: AnswerItem, screen: Screen): string => {
    const { agent_id, session_id } = item;
    return `${what(item, screen)} ${paint(screen, 'dim', `for ${whoseText({ agent_id, session_id })}`)}\n`;
  };

const bold = (screen: Screen, found: unknown) => paint(screen, 'bold', show(found));

export const recordedContext = recordedLine(({ recorded, source }, screen) => {
  const from = source === null ? '' : ` (${show(source)})`;
  return `recorded context ${bold(screen, recorded)}${from}`;
});
export const recordedAction = recordedLine(({ action_index }) => `recorded action #${show(action_index)}`);
export const recordedError = recordedLine(() => 'recorded the error');
export const recordedCall = recordedLine(
  ({ call_id, cost_usd }, screen) =>
    `recorded LLM call ${bold(screen, call_id)} (cost ${cost(cost_usd as number | null)})`,
);
export const recordedSpan = recordedLine(({ span_id }, screen) => `recorded span ${bold(screen, span_id)}`);
export const setAttributes = recordedLine(
  ({ attributes }) => `attributes are now ${attributesText(attributes) || 'empty'}`,
);
export const closedAttempt = recordedLine(({ attempt, entries, actions }) => {
  const held = [counted(entries as number, 'entry', 'entries'), counted(actions as number, 'action')];
  return `closed attempt ${show(attempt)} with ${held.join(' and ')}`;
});
