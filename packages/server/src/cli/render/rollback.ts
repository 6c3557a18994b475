import type { Output } from '@mem-service/contract';
import type { AnswerItem } from './columns.ts';
import { changeLines } from './differences.ts';
import { entryLabel } from './entry.ts';
import { memberChanges } from './member-changes.ts';
import { paint, type Screen, show } from './text.ts';

type Rollback = Output<'rollback.run'>;

/** What a rollback did; of a dry run, what would change in each entry. */
export function rolledBack(item: AnswerItem, screen: Screen): string {
  const answer = item as unknown as Rollback;
  const { dry_run, branch, seq, tag, entries_restored, entries_deleted, hidden } = answer;
  const counts = [
    entries_restored > 0 ? `${entries_restored} restored` : '',
    entries_deleted > 0 ? `${entries_deleted} deleted` : '',
    hidden > 0 ? `${hidden} of them not to be seen by you` : '',
  ].filter(Boolean);
  const done = dry_run ? 'would roll back' : 'rolled back';
  const head = `${done} ${show(branch)} to ${seq}: ${counts.join(', ') || 'nothing to do'}`;
  const lines = answer.changes.flatMap((change) => rollbackLines(change, { dry_run, screen }));
  const undo = tag === null ? [] : [`mem rollback ${show(tag)} undoes it`];
  return `${[head, ...lines, ...undo].join('\n')}\n`;
}

type ChangeView = { dry_run: boolean; screen: Screen };

function rollbackLines(change: Rollback['changes'][number], { dry_run, screen }: ChangeView): string[] {
  const { action, version, restored_version } = change;
  const versions = action === 'delete' ? `v${version}, deleted` : `v${version} → as v${restored_version}`;
  const sign = action === 'delete' ? paint(screen, 'red', '-') : paint(screen, 'yellow', '~');
  const head = `${sign} ${entryLabel(change, screen)} ${paint(screen, 'dim', `(${versions})`)}`;
  if (!dry_run) return [head];
  const changes = memberChanges(change.value, change.restored_value);
  return [head, ...changeLines(changes, screen).map((line) => `    ${line}`)];
}
