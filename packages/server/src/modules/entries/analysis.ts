import { globsOf, type Input, invalidInput, JsonText, parseExactInSteps } from '@mem-service/contract';
import { type Handlers, noteQuery, pageBytes, reads } from '../../kernel/index.ts';
import { inTurns, pause } from '../../turns.ts';
import { liveEntries } from './live-entries.ts';
import * as queries from './queries.ts';
import { notFound } from './reads.ts';
import { fromDocument, type VersionRow } from './rows.ts';
import { createAggregate } from './rules/aggregate.ts';
import { diffJsonInSteps } from './rules/diff.ts';
import { mayAgentSee } from './rules/next.ts';
import { verify } from './verify.ts';
import { getVersion } from './version-queries.ts';

const aggregate = reads<'entries.aggregate'>(async (context, input) => {
  const { op, field, group_by, row_path, entity_path } = input;
  const reduction = createAggregate({ op, field, group_by, row_path });
  let entries_scanned = 0;
  let isPrivate = false;
  for await (const row of liveEntries(context.scan, context.view, globsOf(input))) {
    entries_scanned++;
    isPrivate ||= row.shared === 0;
    reduction.add((JSON.parse(row.document) as { value: unknown }).value);
    if (reduction.bytes() > pageBytes(context.services)) throw tooManyGroups();
  }
  noteQuery(context, 'aggregate', { input, result_count: entries_scanned, isPrivate });
  return { entity_path, entries_scanned, ...reduction.result() };
});

const tooManyGroups = () =>
  invalidInput([{ path: 'group_by', message: 'makes more groups than an answer can have; narrow down the path' }]);

const diff = reads<'entries.diff'>(async (context, input) => {
  const { view, read } = context;
  const { entity_path, key } = input;
  const findVersion = async (version: number) => {
    const row = await getVersion(read, view, { entity_path, key, version });
    return row && mayAgentSee(row, view.agent_id) ? row : undefined;
  };
  const entry = await queries.getEntry(read, view, input);
  const current = entry && mayAgentSee(entry, view.agent_id) ? entry.version : undefined;
  const new_version = input.new_version ?? current;
  if (new_version === undefined) throw notFound(input);
  const old_version = input.old_version ?? new_version - 1;
  const after = await findVersion(new_version);
  if (!after) throw notFound(input, new_version);
  const before = await findVersion(old_version);
  // The caller did not ask for an old version: where none is visible, everything is new.
  if (!before && input.old_version !== undefined) throw notFound(input, old_version);
  return describeDiff(input, before, after);
});

async function describeDiff(input: Input<'entries.diff'>, before: VersionRow | undefined, after: VersionRow) {
  const { entity_path, key, branch } = input;
  const names = { entity_path, key, branch, old_version: before?.version ?? null, new_version: after.version };
  const was = before && before.deleted === 0 ? before : undefined;
  if (after.deleted === 1) {
    const changes = was ? [{ path: '', operation: 'remove' as const, old_value: textOf(was) }] : [];
    return { ...names, diff_type: was ? ('deleted' as const) : ('unchanged' as const), changes };
  }
  if (!was)
    return {
      ...names,
      diff_type: 'added' as const,
      changes: [{ path: '', operation: 'add' as const, new_value: textOf(after) }],
    };
  const changes = await inTurns(diffJsonInSteps(await exact(was), await exact(after)));
  // Where the whole is replaced, its texts are there already.
  if (changes[0]?.path === '') Object.assign(changes[0], { old_value: textOf(was), new_value: textOf(after) });
  await pause();
  return { ...names, diff_type: changes.length > 0 ? ('modified' as const) : ('unchanged' as const), changes };
}

const textOf = (row: VersionRow): JsonText => new JsonText(fromDocument(row).value);

const exact = (row: VersionRow): Promise<unknown> => inTurns(parseExactInSteps(fromDocument(row).value));

export const analysisHandlers: Handlers = {
  'entries.aggregate': aggregate,
  'entries.diff': diff,
  'entries.verify': verify,
};
