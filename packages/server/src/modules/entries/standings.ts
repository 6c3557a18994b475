import type { ColumnType, Dialect, Find, Insert, Sql, Update } from '../../db/index.ts';
import type { EntryRow } from './rows.ts';
import { evidenceRank, evidenceStatus } from './rules/evidence.ts';
import { standingOf } from './standing.ts';

/**
 * How entries stand and how often they were recalled, in narrow rows of their own: what readers and outcomes change often
 * is apart from documents, which only a writer changes. An entry without a row stands as it was written. `confidence` is
 * null until an outcome has moved it.
 */
type StandingRow = Pick<EntryRow, 'account_id' | 'entry_id' | 'standing' | 'standing_no'> & {
  confidence: number | null;
  /** Null where outcomes say nothing about it. */
  evidence_rank: number | null;
};

type StoodEntry = Pick<EntryRow, 'account_id' | 'entry_id' | 'confidence' | 'standing' | 'standing_no'>;

export const standingRow = (entry: StoodEntry): StandingRow => {
  const { account_id, entry_id, confidence, standing, standing_no } = entry;
  const evidence_rank = standing === null ? null : rankOf(entry);
  return {
    account_id,
    entry_id,
    confidence: standing === null ? null : confidence,
    standing,
    standing_no,
    evidence_rank,
  };
};

function rankOf(entry: StoodEntry): number | null {
  const status = evidenceStatus(standingOf(entry), entry.confidence);
  return status === 'untested' ? null : evidenceRank(status);
}

/** The newest ledger line about an entry. Writing a version does not change it. */
export type NewestLine = { line_seq: number | null; line_no: number | null };

const by = { account_id: 'text', entry_id: 'int' } as const;
const STOOD = { confidence: 'real', standing: 'text', standing_no: 'int', evidence_rank: 'int' } as const;
const LINE = { line_seq: 'int', line_no: 'int' } as const;

/** Where an outcome was the first to name an entry, or a reader the first to recall it, its row is made. */
function upsert(columns: Record<string, ColumnType>, set: (name: string) => string): Insert {
  const sets = Object.keys(columns).map((name) => `${name} = ${set(name)}`);
  return {
    table: 'standings',
    columns: { ...by, ...columns },
    suffix: `ON CONFLICT (account_id, entry_id) DO UPDATE SET ${sets.join(', ')}`,
  };
}

const replaced = (name: string) => `excluded.${name}`;

export const upsertStandings = upsert({ ...STOOD, ...LINE }, replaced);
export const upsertNewestLines = upsert(LINE, replaced);
export const insertStandings: Insert = { table: 'standings', columns: { ...by, ...STOOD, recall_count: 'int' } };

/** Of entries that have a row. */
export const updateStandings: Update = { table: 'standings', set: STOOD, by };
export const updateStandingTexts: Update = { table: 'standings', set: { standing: 'text' }, by };

/** Adds to the recall counts of entries. Skips entries that no longer exist. */
export const addRecalls: Insert = {
  ...upsert({ recall_count: 'int' }, (name) => `standings.${name} + excluded.${name}`),
  within: { table: 'entries', by: Object.keys(by) },
  adds: ['recall_count'],
};

/** The columns of an entry that are in both tables or in this one, from a row of each. */
export const standingColumns = (head: string, beside: string): Readonly<Record<string, string>> => ({
  confidence: `coalesce(${beside}.confidence, ${head}.confidence)`,
  standing: `${beside}.standing`,
  standing_no: `coalesce(${beside}.standing_no, 0)`,
  recall_count: `coalesce(${beside}.recall_count, 0)`,
  line_seq: `${beside}.line_seq`,
  line_no: `${beside}.line_no`,
  evidence_rank: `${beside}.evidence_rank`,
});

/** The columns of heads with their standings, for SELECT. */
export function selectStood(names: readonly string[], { head, beside }: { head: string; beside: string }): string {
  const stood = standingColumns(head, beside);
  return names.map((name) => (stood[name] ? `${stood[name]} AS ${name}` : `${head}.${name}`)).join(', ');
}

/** A look-up of entries with their standings, by columns of `entries`. */
export const findStood = (names: readonly string[], by: Find['by']): Find => ({
  table: 'entries',
  select: selectStood(names, { head: 'found', beside: 'beside' }),
  by,
  beside: { table: 'standings', by: ['account_id', 'entry_id'] },
});

const onStanding = (head: string): string => `standings.account_id = ? AND standings.entry_id = ${head}.entry_id`;

/** Joins the standing of each row of `entries`, or of what a statement calls them; the one value is their account. */
export const joinStanding = ({ leftJoin }: Dialect, head = 'entries'): string =>
  leftJoin('standings', onStanding(head));

/** The same where most entries of an account are read, or none of them soon. */
export const joinStandings = ` LEFT JOIN standings ON ${onStanding('entries')}`;

/** The entries of an account with these columns and their standings, for FROM. */
export const stoodRelation = (names: readonly string[], accountId: string): Sql => ({
  text: `(SELECT ${selectStood(names, { head: 'entries', beside: 'standings' })} FROM entries${joinStandings}
    WHERE entries.account_id = ?) AS entries`,
  values: [accountId, accountId],
});
