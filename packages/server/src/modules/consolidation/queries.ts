import type { Glob } from '@mem-service/contract';
import {
  andAll,
  type FirstRows,
  fragment,
  type Insert,
  joinSql,
  type Query,
  type Sql,
  sql,
  type Transaction,
} from '../../db/index.ts';
import { type EntryView, globConditions, visibleTo } from '../../kernel/index.ts';
import { entriesNumbered } from '../entries/index.ts';

export type ProposalRow = {
  account_id: string;
  proposal_id: string;
  seq: number;
  strategy: string;
  status: string;
  branch: string;
  visible_to: string;
  agent_id: string;
  source_count: number;
  /** JSON; null where the entry that is kept says what it says. */
  proposed_value: string | null;
  proposed_confidence: number;
  rationale: string;
  created_at: number;
  reviewed_by: string | null;
  reviewed_at: number | null;
};

export type ProposalSourceRow = {
  account_id: string;
  proposal_id: string;
  /** The first, with number 0, is kept. */
  no: number;
  entry_id: number;
  version: number;
  /** Of the value; empty where the proposal was rejected when it was outdated. */
  content_hash: string;
};

export const insertProposals: Insert = {
  table: 'consolidation_proposals',
  columns: {
    account_id: 'text',
    proposal_id: 'text',
    seq: 'int',
    strategy: 'text',
    status: 'text',
    branch: 'text',
    visible_to: 'text',
    agent_id: 'text',
    source_count: 'int',
    proposed_value: 'text',
    proposed_confidence: 'real',
    rationale: 'text',
    created_at: 'int',
    reviewed_by: 'text',
    reviewed_at: 'int',
  },
};

export const insertSources: Insert = {
  table: 'consolidation_sources',
  columns: {
    account_id: 'text',
    proposal_id: 'text',
    no: 'int',
    entry_id: 'int',
    version: 'int',
    content_hash: 'text',
  },
};

const names = (prefix: string, { columns }: Insert): Sql =>
  fragment(
    Object.keys(columns)
      .map((name) => `${prefix}.${name}`)
      .join(', '),
  );

const PROPOSAL = names('consolidation_proposals', insertProposals);

export function getProposal(query: Query, accountId: string, proposalId: string): Promise<ProposalRow | undefined> {
  return query.get(
    sql`SELECT ${PROPOSAL} FROM consolidation_proposals WHERE account_id = ${accountId} AND proposal_id = ${proposalId}`,
  );
}

/** `ids` as the dialect makes `texts`. */
export function listSources(query: Query, accountId: string, ids: Sql): Promise<ProposalSourceRow[]> {
  return query.all(
    sql`SELECT ${names('consolidation_sources', insertSources)} FROM consolidation_sources
        WHERE account_id = ${accountId} AND proposal_id IN (SELECT value FROM ${ids}) ORDER BY proposal_id, no`,
  );
}

export type ProposalFilter = { status: string | undefined; paths: readonly Glob[] | undefined };

/**
 * Proposals all of whose sources the view shows. Of decided ones a source that was deleted since still counts as shown; an
 * undecided one could not be approved without it.
 */
function proposalsIn(view: EntryView, { status, paths }: ProposalFilter): Sql {
  const { account_id, agent_id } = view;
  const numbers = (where: string): Sql =>
    sql`(SELECT sources.entry_id AS value FROM consolidation_sources AS sources WHERE sources.account_id = ${account_id}
        AND sources.proposal_id = consolidation_proposals.proposal_id${fragment(where)}) AS numbers`;
  const sourcesIn = (including: 'live' | 'visible') =>
    sql`(SELECT count(*) FROM ${entriesNumbered(view, numbers(''), including)})`;
  const kept = (each: readonly Sql[]) =>
    sql`(SELECT 1 FROM ${entriesNumbered(view, numbers(' AND sources.no = 0'), 'visible')}
        AND (${joinSql(each, ' OR ')}) LIMIT 1) IS NOT NULL`;
  const conditions = [
    ...(status === undefined ? [] : [sql`status = ${status}`]),
    ...(paths === undefined
      ? []
      : [kept(paths.map((glob) => sql`(1 = 1${andAll(globConditions(glob, 'entries.entity_path'))})`))]),
  ];
  return sql`consolidation_proposals WHERE account_id = ${account_id} AND ${visibleTo(agent_id)}${andAll(conditions)}
    AND source_count = CASE WHEN status = 'pending' THEN ${sourcesIn('live')} ELSE ${sourcesIn('visible')} END`;
}

export type ProposalPage = ProposalFilter & { before: number; limit: number; bytes: number };

/** Newest first. */
export function listProposals(query: Query, view: EntryView, page: ProposalPage): Promise<FirstRows<ProposalRow>> {
  return query.first(
    sql`SELECT ${PROPOSAL} FROM ${proposalsIn(view, page)} AND seq < ${page.before} ORDER BY seq DESC LIMIT ${page.limit}`,
    { columns: ['proposed_value', 'rationale'], bytes: page.bytes },
  );
}

/** Undecided proposals of an account that everyone may see; where there are as many, a run waits until some are decided. */
export const MOST_PENDING = 500;

/** Undecided ones, newest first. */
export function listPending(
  query: Query,
  view: EntryView,
  { paths, limit }: { paths: readonly Glob[] | undefined; limit: number },
): Promise<{ proposal_id: string }[]> {
  return query.all(
    sql`SELECT proposal_id FROM ${proposalsIn(view, { status: 'pending', paths })} ORDER BY seq DESC LIMIT ${limit}`,
  );
}

export async function countProposals(query: Query, view: EntryView, filter: ProposalFilter): Promise<number> {
  const row = await query.get<{ n: number }>(sql`SELECT count(*) AS n FROM ${proposalsIn(view, filter)}`);
  return row?.n ?? 0;
}

/** The proposals that everyone may see, or one agent alone. */
export type ProposalViewer = { account_id: string; visible_to: string };

const shownTo = ({ account_id, visible_to }: ProposalViewer): Sql =>
  sql`account_id = ${account_id} AND visible_to = ${visible_to}`;

export function countByStatus(query: Query, viewer: ProposalViewer): Promise<{ status: string; n: number }[]> {
  return query.all(
    sql`SELECT status, count(*) AS n FROM consolidation_proposals WHERE ${shownTo(viewer)} GROUP BY status`,
  );
}

/** What an agent suggested and nobody has decided. */
export async function countSuggested(query: Query, viewer: ProposalViewer, agentId: string): Promise<number> {
  const row = await query.get<{ n: number }>(
    sql`SELECT count(*) AS n FROM consolidation_proposals WHERE ${shownTo(viewer)}
          AND status = 'pending' AND strategy = 'suggested' AND agent_id = ${agentId}`,
  );
  return Number(row?.n ?? 0);
}

export function listPendingSources(query: Query, viewer: ProposalViewer): Promise<ProposalSourceRow[]> {
  const pending = sql`SELECT proposal_id FROM consolidation_proposals WHERE ${shownTo(viewer)} AND status = 'pending'`;
  return query.all(
    sql`SELECT ${names('consolidation_sources', insertSources)} FROM consolidation_sources
        WHERE account_id = ${viewer.account_id} AND proposal_id IN (${pending}) ORDER BY proposal_id, no`,
  );
}

export type KnownSource = ProposalSourceRow & Pick<ProposalRow, 'strategy' | 'status' | 'visible_to'>;

/** All sources of the proposals that have one of these entries as a source. */
export function listKnown(
  query: Query,
  { dialect, account_id }: Pick<EntryView, 'dialect' | 'account_id'>,
  ids: readonly number[],
): Promise<KnownSource[]> {
  const joined = (table: string, on: string): Sql => ({
    text: dialect.leftJoin(table, `${table}.account_id = ? AND ${table}.${on}`),
    values: [account_id],
  });
  return query.all(
    sql`SELECT ${names('consolidation_sources', insertSources)}, consolidation_proposals.strategy,
          consolidation_proposals.status, consolidation_proposals.visible_to
        FROM (SELECT DISTINCT consolidation_sources.proposal_id
            FROM ${dialect.numbers(ids)}${joined('consolidation_sources', 'entry_id = numbers.value')}
            WHERE consolidation_sources.proposal_id IS NOT NULL) AS known
        ${joined('consolidation_proposals', 'proposal_id = known.proposal_id')}
        ${joined('consolidation_sources', 'proposal_id = known.proposal_id')}
        WHERE consolidation_proposals.proposal_id IS NOT NULL AND consolidation_sources.proposal_id IS NOT NULL
        ORDER BY consolidation_sources.proposal_id, consolidation_sources.no`,
  );
}

export type Decided = Pick<ProposalRow, 'account_id' | 'proposal_id' | 'status' | 'reviewed_by' | 'reviewed_at'>;

export function setDecided(tx: Transaction, decided: Decided): Promise<number> {
  const { account_id, proposal_id, status, reviewed_by, reviewed_at } = decided;
  return tx.run(
    sql`UPDATE consolidation_proposals SET status = ${status}, reviewed_by = ${reviewed_by}, reviewed_at = ${reviewed_at}
        WHERE account_id = ${account_id} AND proposal_id = ${proposal_id}`,
  );
}

/** What is rejected when it is outdated says nothing about values: the same may be proposed again. */
export function dropValues(
  tx: Transaction,
  { account_id, proposal_id }: Pick<ProposalRow, 'account_id' | 'proposal_id'>,
): Promise<number> {
  return tx.run(
    sql`UPDATE consolidation_sources SET content_hash = '' WHERE account_id = ${account_id} AND proposal_id = ${proposal_id}`,
  );
}

/** The texts of a proposal that count as storage of the account. */
export const textsOfProposal = ({ proposed_value, rationale }: Pick<ProposalRow, 'proposed_value' | 'rationale'>) => [
  proposed_value,
  rationale,
];

const BYTES = fragment(
  'CAST(coalesce(sum(octet_length(rationale) + coalesce(octet_length(proposed_value), 0)), 0) AS BIGINT)',
);

/** How many bytes proposals have; `ids` as the dialect makes `texts`. */
export async function sumProposals(query: Query, accountId: string, ids: Sql): Promise<number> {
  const row = await query.get<{ n: number }>(
    sql`SELECT ${BYTES} AS n FROM consolidation_proposals
        WHERE account_id = ${accountId} AND proposal_id IN (SELECT value FROM ${ids})`,
  );
  return Number(row?.n ?? 0);
}

export async function sumProposalsOf(query: Query, accountId: string, agentId: string): Promise<number> {
  const row = await query.get<{ n: number }>(
    sql`SELECT ${BYTES} AS n FROM consolidation_proposals WHERE account_id = ${accountId} AND agent_id = ${agentId}`,
  );
  return Number(row?.n ?? 0);
}

/** `ids` as the dialect makes `texts`. */
export async function deleteProposals(tx: Transaction, accountId: string, ids: Sql): Promise<void> {
  const named = sql`account_id = ${accountId} AND proposal_id IN (SELECT value FROM ${ids})`;
  await tx.run(sql`DELETE FROM consolidation_sources WHERE ${named}`);
  await tx.run(sql`DELETE FROM consolidation_proposals WHERE ${named}`);
}

/** The proposals that name one of these entries; `ids` as the dialect makes `numbers`. */
export async function listNaming(query: Query, accountId: string, ids: Sql): Promise<string[]> {
  const rows = await query.all<{ proposal_id: string }>(
    sql`SELECT DISTINCT proposal_id FROM consolidation_sources WHERE account_id = ${accountId}
          AND entry_id IN (SELECT CAST(value AS BIGINT) FROM ${ids}) ORDER BY proposal_id`,
  );
  return rows.map(({ proposal_id }) => proposal_id);
}

/** The decided proposals beyond the newest `kept`, as a table `(value)`. */
export const decidedBeyond = (viewer: ProposalViewer, kept: number): Sql =>
  sql`(SELECT proposal_id AS value FROM consolidation_proposals WHERE ${shownTo(viewer)} AND status <> 'pending'
        ORDER BY seq DESC LIMIT 1000 OFFSET ${kept}) AS old`;

export * from './run-queries.ts';
