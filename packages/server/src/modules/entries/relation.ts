import type { Glob } from '@mem-service/contract';
import { andAll, type Dialect, emptySql, fragment, joinSql, type Sql, type SqlValue, sql } from '../../db/index.ts';
import { branchOf, type EntryView, isNewestOfOneBranch, scopedPathConditions } from '../../kernel/index.ts';
import { headsOf, type NameSql } from './relation-heads.ts';
import { statesIn } from './relation-states.ts';
import { entryColumns, headColumns, type VersionRow } from './rows.ts';
import { joinStanding, selectStood } from './standings.ts';

/**
 * Which entries of a view:
 * `live`: neither deleted nor expired nor under quarantine, unless the view shows what is;
 * `undeleted`: also expired ones that are not swept yet, as the counts include them;
 * `visible`: also tombstones;
 * `all`: also those that only another agent may see.
 */
export type Including = 'live' | 'undeleted' | 'visible' | 'all';

type Condition = { text: string; values(view: EntryView): SqlValue[] };

const VISIBLE = '(shared = 1 OR agent_id = ?)';
const UNEXPIRED = '(ttl_at IS NULL OR ttl_at > ?)';
/** As `rules/state.ts` has the states of an entry. */
const THERE = { plain: 'deleted = 0', quarantined: 'deleted <> 1' } as const;

const conditionsOf = (there: string, shown: string): Record<Including, Condition> => ({
  live: { text: ` AND ${VISIBLE} AND ${there} AND ${UNEXPIRED}`, values: ({ agent_id, at }) => [agent_id, at] },
  undeleted: { text: ` AND ${VISIBLE} AND ${there}`, values: ({ agent_id }) => [agent_id] },
  visible: { text: ` AND ${VISIBLE}${shown}`, values: ({ agent_id }) => [agent_id] },
  all: { text: '', values: () => [] },
});

const CONDITIONS = conditionsOf(THERE.plain, ' AND deleted <> 2');
const CONDITIONS_WITH_QUARANTINED = conditionsOf(THERE.quarantined, '');

const conditionOf = ({ with_quarantined }: EntryView, including: Including): Condition =>
  (with_quarantined ? CONDITIONS_WITH_QUARANTINED : CONDITIONS)[including];

const liveText = ({ with_quarantined }: EntryView): string =>
  `${with_quarantined ? THERE.quarantined : THERE.plain} AND ${UNEXPIRED}`;

/** The columns of the relation with standings: those of an entry, the newest ledger line about it, and the rank of its evidence. */
const STOOD = [...Object.keys(entryColumns), 'line_seq', 'line_no', 'evidence_rank'];
/** Without them there is no confidence: that of `entries` is not the one that counts. */
const HEADS = Object.keys(headColumns).filter((name) => name !== 'confidence');

export const STOOD_COLUMNS = fragment(selectStood(STOOD, { head: 'entries', beside: 'standings' }));

const columnsOf = (hasStandings: boolean): readonly string[] => (hasStandings ? STOOD : HEADS);
const keyed = (names: readonly string[]) => names.map((name) => (name === 'document' ? 'document_bytes' : name));

/**
 * Which entries, at which paths, and whether with their standings: a statement that shows or compares no confidence, standing,
 * recalls or ledger lines does without.
 */
type Part = {
  including?: Including;
  paths?: readonly Glob[] | undefined;
  standings?: boolean;
  /** The one entry that is looked up, as values or as columns of what the relation is joined to. */
  named?: NameSql | undefined;
};

type NewestPart = { condition: string; standings: boolean; heads: Sql; within: string };

const newestTexts = new Map<string, string>();
/** Conditions on paths differ in number. */
const MAX_NEWEST_TEXTS = 200;

/** The same text each time: it is built and looked up for every statement. */
function newestText(dialect: Dialect, { condition, standings: hasStandings, heads, within }: NewestPart): string {
  const name = `${dialect.engine} ${condition} ${hasStandings} ${heads.text}${within}`;
  let text = newestTexts.get(name);
  if (text === undefined) {
    const columns = hasStandings ? selectStood(STOOD, { head: 'entries', beside: 'standings' }) : HEADS.join(', ');
    const join = hasStandings ? joinStanding(dialect) : '';
    text = `(SELECT ${columns} FROM ${heads.text} AS entries${join} WHERE entries.account_id = ? AND branch = ?${condition}${within}) AS entries`;
    if (newestTexts.size >= MAX_NEWEST_TEXTS) newestTexts.clear();
    newestTexts.set(name, text);
  }
  return text;
}

/**
 * The entries of a view as a relation named `entries`, for FROM and JOIN. `paths` limits it to what these globs cover. For
 * the newest state of one branch both engines inline it, so that it costs as much as the table.
 */
export function entriesIn(view: EntryView, { including = 'live', paths, standings = false, named }: Part = {}): Sql {
  const within = view.scope === undefined && paths === undefined ? emptySql : andAll(pathsOf(view, paths));
  const condition = conditionOf(view, including);
  const values = condition.values(view);
  if (isNewestOfOneBranch(view)) {
    const heads = headsOf(view, branchOf(view), named);
    return {
      text: newestText(view.dialect, { condition: condition.text, standings, heads, within: within.text }),
      values: [
        ...heads.values,
        ...(standings ? [view.account_id] : []),
        ...[view.account_id, branchOf(view), ...values, ...within.values],
      ],
    };
  }
  const columns = columnsOf(standings);
  const states = statesIn(view, { columns, standings, named });
  return {
    text: `(SELECT ${columns.join(', ')} FROM (${states.text}) AS states WHERE 1 = 1${condition.text}${within.text}) AS entries`,
    values: [...states.values, ...values, ...within.values],
  };
}

/**
 * The entries with these `seq`, as a relation with standings. In the newest state of one branch PostgreSQL looks each up by
 * itself, as `findMany` does: without statistics the planner would read the account for a list of them.
 */
export function entriesAt(
  view: EntryView,
  seqs: readonly number[],
  { including = 'live', paths }: Omit<Part, 'standings'> = {},
): Sql {
  const numbers = view.dialect.numbers(seqs);
  if (view.dialect.engine === 'sqlite' || !isNewestOfOneBranch(view))
    return sql`${entriesIn(view, { including, paths, standings: true })} WHERE seq IN (SELECT CAST(value AS BIGINT) FROM ${numbers})`;
  const { text, values } = conditionOf(view, including);
  const shown: Sql = { text, values: values(view) };
  const standing: Sql = { text: joinStanding(view.dialect), values: [view.account_id] };
  return sql`(SELECT ${STOOD_COLUMNS} FROM ${numbers} CROSS JOIN LATERAL (SELECT * FROM entries AS x
      WHERE x.account_id = ${view.account_id} AND (x.branch, x.seq) >= (${branchOf(view)}, numbers.value)
      ORDER BY x.account_id, x.branch, x.seq LIMIT 1) AS entries${standing}
    WHERE entries.branch = ${branchOf(view)} AND entries.seq = numbers.value${shown}${andAll(pathsOf(view, paths))}) AS entries WHERE true`;
}

/**
 * The same without documents, with the size of each: for statements that sort or count many entries of a view other than
 * the newest state of one branch, and show few.
 */
export function entryKeysIn(view: EntryView, { including = 'live', paths, standings = false, named }: Part = {}): Sql {
  const condition = conditionOf(view, including);
  const within = andAll(pathsOf(view, paths));
  const columns = keyed(columnsOf(standings));
  const states = statesIn(view, { columns, standings, named });
  return {
    text: `(SELECT ${columns.join(', ')} FROM (${states.text}) AS states WHERE 1 = 1${condition.text}${within.text}) AS entries`,
    values: [...states.values, ...condition.values(view), ...within.values],
  };
}

/** The rows of a statement on `entryKeysIn` with their documents, for FROM. */
export const withDocuments = ({ account_id }: EntryView, page: Sql): Sql =>
  sql`(${page}) AS page JOIN (SELECT entry_id AS of_entry, version AS of_version, document FROM versions
      WHERE versions.account_id = ${account_id}) AS documents ON of_entry = page.entry_id AND of_version = page.version`;

/** A condition on rows of the relation, as `entriesIn` has it. */
export const includedIn = (view: EntryView, including: Including): Sql => ({
  text: `1 = 1${conditionOf(view, including).text}`,
  values: conditionOf(view, including).values(view),
});

/** A condition on rows of the relation: neither deleted nor expired. */
export const liveIn = (view: EntryView): Sql => ({ text: liveText(view), values: [view.at] });

/** Like `liveIn`, and visible to the agent. */
export const shownIn = (view: EntryView): Sql => ({
  text: `${VISIBLE} AND ${liveText(view)}`,
  values: [view.agent_id, view.at],
});

export function pathsOf({ scope }: EntryView, globs: readonly Glob[] | undefined): Sql[] {
  if (globs === undefined) return scopedPathConditions(scope, undefined);
  if (globs.length === 1) return scopedPathConditions(scope, globs[0]);
  const each = globs.map((glob) => sql`(1 = 1${andAll(scopedPathConditions(scope, glob))})`);
  return [each.length === 0 ? fragment('1 = 0') : sql`(${joinSql(each, ' OR ')})`];
}

/** Conditions on branch and path, for tables beside the newest entries that have these two columns. */
export const placesIn = (view: EntryView, paths?: readonly Glob[] | undefined): Sql[] => [
  sql`branch = ${branchOf(view)}`,
  ...pathsOf(view, paths),
];

export const versionColumnsOf = (names: readonly (keyof VersionRow)[]): Sql =>
  fragment(names.map((name) => `versions.${name}`).join(', '));

const ON_VERSIONS = 'versions ON versions.account_id = ? AND versions.entry_id = entries.entry_id';
/** Left out for the newest state of one branch, which shows every version, even one newer than the entry's row. */
export const UP_TO_SHOWN = ' AND versions.version <= entries.version';

/** Joins versions to entries of any state and author: visibility is a property of each version. */
function joined(view: EntryView, { join, standings }: { join: 'JOIN' | 'LEFT JOIN'; standings: boolean }): Sql {
  const { text, values } = entriesIn(view, { including: 'all', standings });
  return {
    text: `${text} ${join} ${ON_VERSIONS}${isNewestOfOneBranch(view) ? '' : UP_TO_SHOWN}`,
    values: [...values, view.account_id],
  };
}

/** The versions of a view's entries, without a visibility check: `versions` joined to `entries`. */
export const versionsIn = (view: EntryView, { standings = false }: Pick<Part, 'standings'> = {}): Sql =>
  joined(view, { join: 'JOIN', standings });

/** The same, including entries that have no version. */
export const entriesWithVersionsIn = (view: EntryView): Sql => joined(view, { join: 'LEFT JOIN', standings: false });

export const isVersionVisible = ({ agent_id }: Pick<EntryView, 'agent_id'>): Sql =>
  sql`(versions.shared = 1 OR versions.agent_id = ${agent_id})`;

/** SQLite turns the plain form into a join. */
function existsIn(view: EntryView, is: Sql, paths?: readonly Glob[]): Sql {
  const fence = fragment(view.dialect.fence);
  if (!isNewestOfOneBranch(view))
    return sql`EXISTS (SELECT 1 FROM ${entriesIn(view, { including: 'all', paths })} WHERE ${is}${fence})`;
  return sql`EXISTS (SELECT 1 FROM entries WHERE entries.account_id = ${view.account_id}
    AND entries.branch = ${branchOf(view)} AND ${is}${andAll(pathsOf(view, paths))}${fence})`;
}

/** A condition: the number belongs to an entry of the view, in any state. */
export const isEntryIn = (view: EntryView, entryId: Sql): Sql => existsIn(view, sql`entries.entry_id = ${entryId}`);

/** A condition: the `seq` is that of an entry of the view, at some paths. */
export const isSeqIn = (view: EntryView, seq: Sql, paths?: readonly Glob[]): Sql =>
  existsIn(view, sql`entries.seq = ${seq}`, paths);
