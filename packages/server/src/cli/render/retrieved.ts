import type { AnswerItem } from './columns.ts';
import { entryLabel } from './entry.ts';
import { counted, rounded } from './numbers.ts';
import { clean, paint, type Screen, show, when } from './text.ts';

/** What answers a question, best first: where it is from, how far to trust it, and the passage. */
export function retrieved(answer: AnswerItem, screen: Screen): string {
  const [entries, avoid, leftOut] = [answer.entries, answer.avoid, answer.left_out] as AnswerItem[][];
  const blocks = (entries as AnswerItem[]).map((item) => found(item, screen));
  if (blocks.length === 0) blocks.push('nothing in memory answers this');
  if (avoid?.length)
    blocks.push(paint(screen, 'yellow', 'Outcomes spoke against:'), ...avoid.map((item) => found(item, screen)));
  const notes = notesOf(answer, leftOut?.length ?? 0).map((note) => paint(screen, 'dim', note));
  return `${[...blocks, ...(notes.length > 0 ? [notes.join('\n')] : [])].join('\n\n')}\n`;
}

function found(item: AnswerItem, screen: Screen): string {
  const { agent_id, written_at } = (item.provenance ?? {}) as AnswerItem;
  const status = item.evidence_status === 'untested' ? '' : `, ${show(item.evidence_status)}`;
  const trust = `score ${rounded(item.score as number)}, confidence ${rounded(item.confidence as number)}${status}`;
  const facts = `${trust}, by ${show(agent_id)} ${when(written_at)}`;
  const passage = String(item.passage)
    .split('\n')
    .map((line) => `  ${clean(line)}`);
  return [`${entryLabel(item, screen)}  ${paint(screen, 'dim', facts)}`, ...passage].join('\n');
}

function notesOf({ answerability, time, index, reranker, skipped }: AnswerItem, leftOut: number): string[] {
  const { chance } = (answerability ?? {}) as AnswerItem;
  const notes = !chance ? [] : [`the chance that memory holds the answer: ${Math.round(100 * Number(chance))}%`];
  const { phrase, since, until } = (time ?? {}) as AnswerItem;
  if (phrase) notes.push(`"${show(phrase)}" was taken as ${when(since)} to ${when(until)}`);
  if (leftOut > 0) notes.push(`${counted(leftOut, 'more entry', 'more entries')} did not fit in --max-tokens`);
  const { embedder, behind, fallback } = (index ?? {}) as AnswerItem;
  if (fallback) notes.push(fallbackNote(fallback as AnswerItem, embedder));
  if (embedder === null && chance !== null) notes.push('found by words alone: meaning was not compared');
  else if (behind)
    notes.push(`${counted(behind as number, 'new entry', 'new entries')} were found by words alone so far`);
  const { model, failure } = (reranker ?? {}) as AnswerItem;
  if (failure) notes.push(`the reranker ${show(model)} changed nothing: ${reasonText(failure)}`);
  if ((skipped as string[] | undefined)?.length) notes.push(`left undone for want of time: ${show(skipped)}`);
  return notes;
}

const REASONS: Record<string, string> = {
  timeout: 'it did not answer in time',
  unreachable: 'it cannot be reached, or fails',
  refused: 'it refuses what it is asked, or the key',
  limited: 'it limits requests',
  bad_answer: 'its answer cannot be used',
  budget: 'its tokens of this minute are used up',
};
export const reasonText = (reason: unknown): string => REASONS[String(reason)] ?? show(reason);

/** Why another embedder compared than the one that was chosen; with `progress`, because that has no vectors yet. */
function fallbackNote({ from, reason, progress }: AnswerItem, embedder: unknown): string {
  const instead = embedder === null ? '' : `, but by ${show(embedder)}`;
  const isBuilding = progress !== undefined;
  const made = isBuilding ? `${Math.floor(100 * Number(progress))}% of its vectors are made` : '';
  const why = reason === 'building' ? made : [reasonText(reason), made].filter((part) => part !== '').join('; ');
  const hint = isBuilding && reason !== 'building' ? ' (see mem consumers)' : '';
  return `meaning was not compared by ${show(from)}${instead}: ${why}${hint}`;
}
