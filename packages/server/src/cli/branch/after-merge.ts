import type { OperationName, Output } from '@mem-service/contract';
import type { ServiceConnection } from '../connect.ts';
import type { ClientConfig } from '../memory.ts';
import { readAnswer, render, type Screen } from '../render/index.ts';

const MERGES: readonly OperationName[] = [
  ...(['branches.merge', 'pull_requests.merge'] as const),
  ...(['branches.refresh', 'entries.cherry_pick'] as const),
];
/** How many of the entries are shown. */
const SHOWN = 20;

type MergeCall = { name: OperationName; text: string; screen: Screen };

/** The diff of what a merge brought, or of what it would bring. Empty for other operations. */
export async function mergedChanges(connection: ServiceConnection, { name, text, screen }: MergeCall): Promise<string> {
  if (!MERGES.includes(name)) return '';
  const answer = JSON.parse(text) as Output<'branches.merge'>;
  if (answer.added + answer.modified + answer.deleted === 0 || wouldConflict(answer)) return '';
  const asked = comparisonOf(answer);
  if (!asked) return '';
  const found = await connection.call(asked.name, { ...asked.input, limit: SHOWN }).catch(() => undefined);
  if (found === undefined) return '';
  const differences = readAnswer(asked.name, found);
  const { out } = render(asked.name, differences, screen);
  const [, ...entries] = out.split('\n').slice(0, -2);
  const rest = differences.has_more === true && asked.words ? [`there is more: mem diff ${asked.words} --all`] : [];
  return [...entries, ...rest].map((line) => `${line}\n`).join('');
}

/** A trial that says: nothing would be merged. */
export const wouldConflict = ({ dry_run, conflicts }: { dry_run?: unknown; conflicts?: unknown }): boolean =>
  dry_run === true && typeof conflicts === 'number' && conflicts > 0;

type Comparison = { name: OperationName; input: Record<string, string>; words: string };

function comparisonOf(answer: Output<'branches.merge'>): Comparison | undefined {
  const { kind, source, target, target_seq, head, dry_run } = answer;
  if (!dry_run) {
    const [from, to] = [`${target}@${target_seq}`, `${target}@${head}`];
    return head === null ? undefined : { name: 'branches.compare', input: { from, to }, words: `${from}..${to}` };
  }
  if (kind === 'cherry_pick') return undefined;
  return { name: 'branches.diff', input: { name: source, against: target }, words: `${target}...${source}` };
}

/** After a merge of the branch that the folder is on. */
export function mergedHint({ name, text }: Pick<MergeCall, 'name' | 'text'>, { branch }: ClientConfig): string {
  if (name !== 'branches.merge' && name !== 'pull_requests.merge') return '';
  const { source, dry_run, status } = JSON.parse(text) as Output<'branches.merge'>;
  if (dry_run || status !== 'merged' || branch?.by !== 'folder' || branch.name !== source) return '';
  return `this folder is still on ${source}: mem switch main goes on there\n`;
}
