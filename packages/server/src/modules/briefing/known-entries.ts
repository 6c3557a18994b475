import type { ReadContext } from '../../kernel/index.ts';
import { type EvidenceStatus, evidenceStatus, type Standing, standingOf } from '../entries/index.ts';
import type { AskedBriefing } from './asked.ts';
import { type BriefedRow, type BriefingMarkRow, findBriefed, listMarks } from './queries.ts';
import { type MarkKind, markKinds } from './rules/marks.ts';
import { bestFirst, type RankedFacts, strength } from './rules/rank.ts';

/** Marks of one kind that are looked at. */
const LOOKED_AT = 24;
const SHOWN = 5;

export type NotableEntry = BriefedRow & { standing_now: Standing; status: EvidenceStatus };

/** The entries that outcomes, or what they are, make worth knowing. */
export type KnownEntries = {
  validated: NotableEntry[];
  discredited: NotableEntry[];
  procedures: NotableEntry[];
  lessons: NotableEntry[];
  /** All that outcomes support, the best first. */
  supported: NotableEntry[];
  /** Entries that outcomes are about, the last tested first. */
  tested: number[];
};

export const toKnown = (row: BriefedRow): NotableEntry => {
  const standing_now = standingOf(row);
  return { ...row, standing_now, status: evidenceStatus(standing_now, row.confidence) };
};

type AnticipatedPath = (path: string) => number;

const TESTED: readonly MarkKind[] = ['validated', 'contested', 'discredited'];

export async function findKnown(
  { scan, view, now }: ReadContext,
  { roots }: AskedBriefing,
  anticipated: AnticipatedPath,
): Promise<KnownEntries> {
  const marks = roots.length === 0 ? [] : await listMarks(scan, view, { kinds: markKinds, roots, each: LOOKED_AT });
  const ids = [...new Set(marks.map(({ entry_id }) => entry_id))];
  const rows = await findBriefed(scan, view, { ids, including: 'live' });
  // On a branch an entry may be found by more than one number.
  const entries = new Map([...new Set(rows.values())].map((row) => [row, toKnown(row)]));
  const known = new Map([...rows].map(([id, row]) => [id, entries.get(row) as NotableEntry]));
  const of = (kind: MarkKind) => entriesOf(marks, known, kind);
  const testedHere = [...new Set(TESTED.flatMap(of))];
  // A mark may be older than the last outcome: what counts is how the entry stands.
  const supported = ranked(
    testedHere.filter(({ status }) => status === 'validated'),
    { by: strength.validated, anticipated, now },
  );
  const refuted = testedHere.filter(({ status }) => status === 'discredited');
  const procedures = of('procedure').filter(
    ({ memory_type, status }) => memory_type === 'procedure' && status !== 'discredited',
  );
  return {
    validated: supported.filter(({ memory_type }) => memory_type !== 'procedure').slice(0, SHOWN),
    discredited: ranked(refuted, { by: strength.discredited, anticipated, now }).slice(0, SHOWN),
    procedures: ranked(procedures, { by: strength.validated, anticipated, now }).slice(0, SHOWN),
    lessons: of('lesson'),
    supported,
    tested: testedOf(marks, known),
  };
}

const entriesOf = (
  marks: readonly BriefingMarkRow[],
  known: ReadonlyMap<number, NotableEntry>,
  kind: MarkKind,
): NotableEntry[] => {
  const found = marks.filter((mark) => mark.kind === kind).flatMap(({ entry_id }) => known.get(entry_id) ?? []);
  return [...new Set(found)];
};

function testedOf(marks: readonly BriefingMarkRow[], known: ReadonlyMap<number, NotableEntry>): number[] {
  const tested = marks.filter(({ kind, entry_id }) => TESTED.includes(kind) && known.has(entry_id));
  return [...new Set(tested.sort((a, b) => b.rank - a.rank).map(({ entry_id }) => entry_id))].slice(0, LOOKED_AT);
}

type Ranking = { by: (facts: RankedFacts, now: number) => number; anticipated: AnticipatedPath; now: number };

function ranked(entries: readonly NotableEntry[], { by, anticipated, now }: Ranking): NotableEntry[] {
  const score = ({ standing_now, entity_path, seq, confidence }: NotableEntry) => {
    const { success_count, failure_count, last_outcome_at } = standing_now;
    return by(
      { seq, confidence, success_count, failure_count, last_outcome_at, anticipated: anticipated(entity_path) },
      now,
    );
  };
  return bestFirst(entries, score, ({ seq }) => seq);
}
