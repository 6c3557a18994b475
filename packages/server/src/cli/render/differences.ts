import { JsonText, type Output } from '@mem-service/contract';
import type { AnswerItem } from './columns.ts';
import { entryLabel } from './entry.ts';
import { counted } from './numbers.ts';
import { oneLine, paint, type Screen, show } from './text.ts';
import { sharedCut, textChange } from './text-change.ts';

export type FieldChange = { path: string; operation: string; old_value?: unknown; new_value?: unknown };

/** Red for what is gone and green for what came, member by member; texts of several lines line by line. */
export const changeLines = (changes: readonly FieldChange[], screen: Screen): string[] =>
  changes.flatMap((change) => longTextLines(change, screen) ?? memberLines(change, screen));

function memberLines({ path, operation, old_value, new_value }: FieldChange, screen: Screen): string[] {
  const at = path === '' ? '' : `${show(path)}: `;
  const [old, now] = [old_value, new_value].map((value) => oneLine(JsonText.of(value ?? null).text)) as [
    string,
    string,
  ];
  const [before, after] = operation === 'replace' ? sharedCut(old, now, screen) : [old, now];
  return [
    ...(operation === 'add' ? [] : [paint(screen, 'red', `- ${at}${before}`)]),
    ...(operation === 'remove' ? [] : [paint(screen, 'green', `+ ${at}${after}`)]),
  ];
}

/** Undefined where a side is no text, or neither has several lines. */
function longTextLines({ path, operation, old_value, new_value }: FieldChange, screen: Screen): string[] | undefined {
  const before = operation === 'add' ? undefined : JsonText.of(old_value).value;
  const after = operation === 'remove' ? undefined : JsonText.of(new_value).value;
  const texts = [before, after].filter((side) => side !== undefined);
  if (!texts.every((side) => typeof side === 'string') || !texts.some((text) => text.includes('\n'))) return undefined;
  const lines = textChange(before as string | undefined, after as string | undefined, screen);
  return path === '' ? lines : [`${show(path)}:`, ...lines];
}

type Differences = Output<'branches.compare'>;
type Difference = Differences['entries'][number];

const SIGNS = { added: '+', modified: '~', deleted: '-' } as const;
const COLOURS = { added: 'green', modified: 'yellow', deleted: 'red' } as const;

/** What differs between two states, as a patch. */
export function differences(item: AnswerItem, screen: Screen): string {
  const { from, to, entries, hidden } = item as unknown as Differences;
  const head = paint(screen, 'bold', `${show(from.ref)} → ${show(to.ref)}`);
  const blocks = entries.map((entry) => block(entry, screen));
  return `${[head, ...blocks, summary(entries, hidden)].join('\n')}\n`;
}

function block(entry: Difference, screen: Screen): string {
  const { diff_type, from, to } = entry;
  const versions = [from, to].map((side) => (side ? `v${side.version}` : '')).filter(Boolean);
  const by = to ? ` by ${show(to.agent_id)}` : '';
  const facts = paint(screen, 'dim', `(${versions.join(' → ')},${diff_type === 'deleted' ? ' deleted' : ''}${by})`);
  const sign = paint(screen, COLOURS[diff_type], SIGNS[diff_type]);
  const lines = changeLines(shortened(entry), screen).map((line) => `    ${line}`);
  return [`${sign} ${entryLabel(entry, screen)} ${facts}`, ...lines].join('\n');
}

/** Most changes are of the value: its members are named alone. An entry that came or went is its value. */
function shortened({ diff_type, from, to, changes }: Difference): FieldChange[] {
  if (diff_type === 'added') return [{ path: '', operation: 'add', new_value: to?.value }];
  if (diff_type === 'deleted') return [{ path: '', operation: 'remove', old_value: from?.value }];
  return changes.map((change) => ({ ...change, path: change.path.replace(/^\/value(\/|$)/, '') }));
}

function summary(entries: readonly Difference[], hidden: number): string {
  const kinds = (['added', 'modified', 'deleted'] as const).map((kind) => {
    const count = entries.filter(({ diff_type }) => diff_type === kind).length;
    return count === 0 ? '' : `${count} ${kind}`;
  });
  const kept = hidden === 0 ? '' : `, and ${hidden} more that you may not see`;
  return `${counted(entries.length, 'entry', 'entries')}: ${kinds.filter(Boolean).join(', ')}${kept}`;
}
