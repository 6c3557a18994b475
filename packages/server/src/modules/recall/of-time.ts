import { type ReadContext, toIso } from '../../kernel/index.ts';
import { byFilter, type FoundRow, type SearchInput } from '../search/index.ts';
import type { QuestionTime } from './rules/question-time.ts';

/** The newest entries that were written at a time, for a question that names nothing else; undefined where there are none. */
export async function entriesOfTime(
  context: ReadContext,
  input: SearchInput,
  { time, wanted }: { time: QuestionTime; wanted: number },
): Promise<{ rows: FoundRow[]; truncated: boolean } | undefined> {
  const given = { since: Date.parse(input.since ?? ''), until: Date.parse(input.until ?? '') };
  const since = toIso(Math.max(time.since, given.since || 0));
  const until = toIso(Math.min(time.until, given.until || time.until));
  const found = await byFilter(context, { ...input, since, until, sort_by: 'recency' }, wanted);
  if (found.hits.length === 0) return undefined;
  const rows = found.hits.map(({ row }) => ({ ...row, document: row.document ?? null }));
  return { rows, truncated: found.truncated };
}
