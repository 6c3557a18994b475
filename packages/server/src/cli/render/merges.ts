import type { Output } from '@mem-service/contract';
import type { AnswerItem } from './columns.ts';
import { entryLabel } from './entry.ts';
import { pretty } from './json.ts';
import { counted } from './numbers.ts';
import { paint, type Screen, show, when } from './text.ts';

type MergeAnswer = Output<'branches.merge'>;

export const REASONS: Readonly<Record<string, string>> = {
  both_added: 'both sides added it',
  both_modified: 'both sides changed it',
  deleted_by_source: 'the source deleted what the target changed',
  deleted_by_target: 'the target deleted what the source changed',
};

const VERBS = {
  merge: ['merged', 'would merge', 'into'],
  refresh: ['brought', 'would bring', 'into'],
  cherry_pick: ['took from', 'would take from', 'to'],
} as const;

/** What a merge, a refresh or a cherry-pick did, or would do. */
export function merged(item: AnswerItem, screen: Screen): string {
  const answer = item as unknown as MergeAnswer;
  const [done, would, into] = VERBS[answer.kind];
  if (answer.status === 'up_to_date')
    return `${show(answer.target)} is up to date with ${show(answer.source)}: nothing to do\n`;
  const isTrial = answer.dry_run === true;
  const isStuck = isTrial && answer.conflicts > 0;
  const verb = isStuck ? would.replace('would', 'would not') : isTrial ? would : done;
  const head = `${verb} ${show(answer.source)} ${into} ${show(answer.target)}`;
  const open = answer.conflicting.map(
    (one) => `${paint(screen, 'red', '!')} ${entryLabel(one, screen)}: ${REASONS[one.reason] ?? show(one.reason)}`,
  );
  const conflicts =
    answer.conflicts === 0 ? [] : [paint(screen, 'red', counted(answer.conflicts, 'conflict')), ...open];
  return `${[isStuck ? head : `${head}${changesText(answer)}`, ...conflicts].join('\n')}\n`;
}

function changesText({ kind, added, modified, deleted, judged, hidden }: MergeAnswer): string {
  const parts = [
    added > 0 ? `${added} added` : '',
    modified > 0 ? `${modified} modified` : '',
    deleted > 0 ? `${deleted} deleted` : '',
    judged > 0 ? `${counted(judged, 'entry', 'entries')} with evidence` : '',
  ].filter(Boolean);
  const unseen = hidden > 0 ? `, ${hidden} of them not to be seen by you` : '';
  if (parts.length === 0 && kind === 'refresh') return ', which shows it as it is now';
  return parts.length === 0 ? ': nothing to do' : `: ${parts.join(', ')}${unseen}`;
}

type ListedConflict = Output<'conflicts.list'>['conflicts'][number];
type WholeConflict = Output<'conflicts.read'>;

/** The conflicts of a merge with what is to do. */
export function conflicts(item: AnswerItem, screen: Screen): string {
  const { conflicts: all, hidden } = item as unknown as Output<'conflicts.list'>;
  const lines = all.map((one) => conflictLine(one, screen));
  const unseen = hidden === 0 ? [] : [`${hidden} more in entries that you may not see: their authors resolve them`];
  const open = all.filter(({ status }) => status === 'open');
  const id = show(all[0]?.merge_id);
  const todo = open.length === 0 ? [] : [paint(screen, 'dim', howToResolve(id, open[0]?.no ?? 0))];
  return `${[...lines, ...unseen, ...todo].join('\n')}\n`;
}

const howToResolve = (mergeId: string, no: number): string =>
  `mem show-conflict ${mergeId} ${no} shows both sides; mem resolve ${mergeId} source|target|base --no ${no} decides`;

function conflictLine(one: ListedConflict, screen: Screen): string {
  const decided =
    one.status === 'open' ? paint(screen, 'red', 'open') : paint(screen, 'green', `takes ${show(one.take)}`);
  const fields = one.fields.map((path) => path.replace(/^\/value\//, '')).join(', ');
  const where = fields === '' ? '' : ` (${show(fields)})`;
  return `${one.no}  ${entryLabel(one, screen)}  ${decided}  ${REASONS[one.reason] ?? show(one.reason)}${where}`;
}

/** One conflict: what both sides last had in common, and what each made of it. */
export function conflict(item: AnswerItem, screen: Screen): string {
  const one = item as unknown as WholeConflict;
  const side = (name: 'base' | 'source' | 'target', colour: 'dim' | 'red' | 'green') => {
    const found = one[name];
    const title = paint(screen, 'bold', name);
    if (!found) return `${title}  ${name === 'base' ? 'there was none' : 'deleted'}`;
    const trace = found.trace_id === null ? '' : `, trace ${show(found.trace_id)}`;
    const by = `${show(found.branch)} v${found.version}, by ${show(found.agent_id)}, ${when(found.written_at)}${trace}`;
    const text = pretty(found.value).split('\n');
    return [`${title}  ${paint(screen, 'dim', by)}`, ...text.map((line) => `  ${paint(screen, colour, line)}`)].join(
      '\n',
    );
  };
  const todo = one.status === 'open' ? [paint(screen, 'dim', resolveOne(one))] : [];
  const sides = [side('base', 'dim'), side('target', 'red'), side('source', 'green')];
  return `${[conflictLine(one, screen), ...sides, ...todo].join('\n')}\n`;
}

const resolveOne = ({ merge_id, no }: WholeConflict): string =>
  `mem resolve ${show(merge_id)} source|target|base --no ${no}, or: mem resolve ${show(merge_id)} value --no ${no} --value <json>`;

export function resolved(item: AnswerItem): string {
  const { merge_id, resolved: count, open } = item as unknown as Output<'conflicts.resolve'>;
  const next =
    open === 0
      ? `none is open: merge again with --merge-id ${show(merge_id)}`
      : `${open} still open: mem conflicts ${show(merge_id)}`;
  return `resolved ${counted(count, 'conflict')}; ${next}\n`;
}

export function aborted(item: AnswerItem): string {
  const { merge_id, source, target, conflicts } = item as unknown as Output<'merges.abort'>;
  return `gave up ${show(merge_id)}, a merge of ${show(source)} into ${show(target)} with ${counted(conflicts, 'conflict')}\n`;
}
