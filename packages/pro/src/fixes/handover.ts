import { Fault, findVersionTexts, fromDocument, pause, type VersionNumber } from '@mem-service/server/module';
import { getBehavior } from '../behaviors/index.ts';
import { listCases } from '../cases/index.ts';
import { definitionIn, requireVersion } from '../judges/index.ts';
import { evidenceOf } from './evidence.ts';
import type { FixRow } from './queries.ts';
import { type FixReader, type SeenCorrection, seenEntries, type WholeFix } from './render.ts';
import { type Handover, type HandoverCase, type HandoverEntry, handoverText } from './rules/handover-text.ts';

const MAX_CASES = 20;
const CASE_BYTES = 256 * 1024;

/** The hand-over of a fix, with what the reader may see of it now. */
export async function handoverOf(reader: FixReader, row: FixRow, fix: WholeFix): Promise<string> {
  const { fix_id, branch, status, policy, set_id, summary, description } = fix;
  const seen = await seenEntries(reader, row);
  const parts: Handover = {
    ...{ fix_id, branch, status, policy, set_id, summary, description },
    incident_id: fix.source.incident_id,
    judge: await judgeOf(reader, row),
    behavior: await behaviorOf(reader, row),
    evidence: await evidenceOf(reader, row, { fix, blamed: seen.map((one) => one.row) }),
    entries: await entriesOf(reader, row, seen),
    cases: { all: fix.replay.cases, shown: await casesOf(reader, row) },
    replay: fix.replay.reason,
  };
  return handoverText(parts);
}

const versionOf = ({ source_kind, source_version }: FixRow): number => (source_kind === 'entry' ? 0 : source_version);

async function judgeOf({ read }: FixReader, row: FixRow): Promise<Handover['judge']> {
  const { account_id, judge_id } = row;
  if (judge_id === null) return null;
  try {
    const version = versionOf(row);
    const found = await requireVersion(read, account_id, { judge_id, version });
    const { kind } = definitionIn(found);
    return { judge_id, version, definition: found.definition, asksModel: kind === 'llm' };
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
}

/** As it is now: a behavior keeps no earlier versions. */
async function behaviorOf({ read }: FixReader, { account_id, behavior_id }: FixRow): Promise<Handover['behavior']> {
  const row = behavior_id === null ? undefined : await getBehavior(read, account_id, behavior_id);
  return row ? { behavior_id: row.behavior_id, version: row.version, matcher: row.matcher } : null;
}

async function entriesOf(reader: FixReader, row: FixRow, seen: readonly SeenCorrection[]): Promise<HandoverEntry[]> {
  const values = (numbers: readonly VersionNumber[]) => valuesOf(reader, row, numbers);
  const blamed = await values(seen.map(({ row: { entry_id, version } }) => ({ entry_id, version })));
  const corrected = await values(
    seen.map(({ row: { branch_entry_id, branch_version } }) => ({
      entry_id: branch_entry_id,
      version: branch_version,
    })),
  );
  return seen.map(({ entry, isHeld }, i) => ({
    ...entry,
    blamed_value: isHeld ? null : (blamed[i] ?? null),
    branch_value: isHeld ? null : (corrected[i] ?? null),
  }));
}

/** Values may have a megabyte each, and only the first characters of each are shown. */
const VALUES_AT_ONCE = 4;
const CHARS_OF_VALUE = 10_000;

/** The beginnings of values as JSON; null for a deletion, and where a version was erased. */
async function valuesOf(
  { read }: FixReader,
  { account_id }: FixRow,
  numbers: readonly VersionNumber[],
): Promise<(string | null)[]> {
  const values: (string | null)[] = [];
  for (let at = 0; at < numbers.length; at += VALUES_AT_ONCE) {
    const texts = await findVersionTexts(read, account_id, numbers.slice(at, at + VALUES_AT_ONCE));
    for (const text of texts)
      values.push(!text || text.deleted === 1 ? null : (fromDocument(text).value?.slice(0, CHARS_OF_VALUE) ?? null));
    await pause();
  }
  return values;
}

async function casesOf({ read }: FixReader, { account_id, set_id }: FixRow): Promise<HandoverCase[]> {
  const page = { account_id, set_id, after: [set_id, ''] as const, limit: MAX_CASES, bytes: CASE_BYTES };
  const { rows } = await listCases(read, page);
  return rows.map(({ case_id, name, task_input }) => ({ case_id, name, task_input }));
}
