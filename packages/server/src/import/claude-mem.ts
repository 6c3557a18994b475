import { SUMMARY_CONFIDENCE } from './confidence.ts';
import { filesAt, type SourceRow, withTables } from './files.ts';
import { type ForeignEntry, ForeignError, type ForeignReader } from './foreign.ts';
import { idOf, listOf, textOf, withoutEmpty } from './json-objects.ts';
import { newTaker } from './left-out.ts';
import { toKey, toLabel, toPath } from './names.ts';
import { toTime } from './times.ts';

const AGENT = 'claude-mem';

type SessionRows = ReadonlyMap<string, SourceRow>;

/** Reads observations and session summaries from `claude-mem.db`. The user's own prompts are not imported. */
export const readClaudeMem: ForeignReader = async (path, into) => {
  const [file] = await filesAt(path, ['claude-mem.db']);
  if (file === undefined) throw new ForeignError(`there is no claude-mem.db in ${path}`);
  return withTables(file, (tables) => {
    // Early versions called the column sdk_session_id.
    const sessionOf = (row: SourceRow) => idOf(row.memory_session_id) ?? idOf(row.sdk_session_id);
    const sessions: SessionRows = new Map(tables('sdk_sessions').map((row) => [sessionOf(row) ?? '', row]));
    const [observations, summaries] = [tables('observations'), tables('session_summaries')];
    if (sessions.size + observations.length + summaries.length === 0)
      throw new ForeignError(`${file} holds no observations of claude-mem`);
    const prompts = tables('user_prompts').length;
    const entryOf = (row: SourceRow, kind: string): ForeignEntry => {
      const session = sessionOf(row);
      const platform = textOf(sessions.get(session ?? '')?.platform_source);
      const concepts = listOf(row.concepts).map((concept) => toLabel(concept, 'concept'));
      return {
        entity_path: toPath(into, textOf(row.project) ?? 'unnamed'),
        key: toKey(`${kind}-${idOf(row.id)}`),
        value: contentOf(row),
        agent_id: toLabel(platform ?? '', AGENT),
        session_id: session === undefined ? undefined : toLabel(session, AGENT),
        written_at: toTime(row.created_at_epoch) ?? toTime(row.created_at),
        source_id: `${kind}/${idOf(row.id)}`,
        memory_type: 'experience',
        ...(kind === 'summary' ? { confidence: SUMMARY_CONFIDENCE } : {}),
        ...(concepts.length > 0 ? { pattern_refs: [...new Set(concepts)].slice(0, 100) } : {}),
      };
    };
    const { take, notes } = newTaker();
    const filled = (rows: readonly SourceRow[], kind: string) =>
      take(rows, (row) => (Object.keys(contentOf(row)).length === 0 ? [] : [entryOf(row, kind)]));
    return {
      entries: [...filled(observations, 'observation'), ...filled(summaries, 'summary')],
      links: [],
      notes: [...(prompts > 0 ? [`${prompts} prompts of the user are left behind`] : []), ...notes()],
    };
  });
};

const TEXTS = [
  ...['type', 'title', 'subtitle', 'narrative', 'text'],
  ...['request', 'investigated', 'learned', 'completed', 'next_steps', 'notes'],
] as const;
const LISTS = ['facts', 'concepts', 'files_read', 'files_modified', 'files_edited'] as const;

/** The content of a row, without ids and times. */
const contentOf = (row: SourceRow) =>
  withoutEmpty({
    ...Object.fromEntries(TEXTS.map((name) => [name, row[name]])),
    ...Object.fromEntries(LISTS.map((name) => [name, listOf(row[name])])),
  });
