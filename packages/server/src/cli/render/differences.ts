import { JsonText, type Output } from '@mem-service/contract';
import type { AnswerItem } from './columns.ts';
import { entryLabel } from './entry.ts';
import { counted } from './numbers.ts';
import { oneLine, paint, type Screen, show } from './text.ts';

export type FieldChange = { path: string; operation: string; old_value?: unknown; new_value?: unknown };

/** Red for what is gone and green for what came, member by member. */
export function changeLines(changes: readonly FieldChange[], screen: Screen): string[] {
  return changes.flatMap(({ path, operation, old_value, new_value }) => {
    const at = path === '' ? '' : `${show(path)}: `;
    const line = (sign: string, value: unknown) => `${sign} ${at}${oneLine(JsonText.of(value).text)}`;
    return [
      ...(operation === 'add' ? [] : [paint(screen, 'red', line('-', old_value))]),
      ...(operation === 'remove' ? [] : [paint(screen, 'green', line('+', new_value))]),
    ];
  });
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
  const author = (to ?? from)?.agent_id;
  const facts = paint(screen, 'dim', `(${versions.join(' → ')}${to ? `, by ${show(author)}` : ', deleted'})`);
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
