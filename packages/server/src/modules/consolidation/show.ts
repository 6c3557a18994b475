import { JsonText, type Output } from '@mem-service/contract';
import type { Dialect, Query } from '../../db/index.ts';
import { entryName, type ReadContext, toIso, toIsoOrNull } from '../../kernel/index.ts';
import {
  evidenceStatus,
  findDocuments,
  findDocumentsWithin,
  findStoodEntries,
  findVersions,
  fromDocument,
  rawValue,
  shortValue,
  standingOf,
} from '../entries/index.ts';
import { goldenQueriesNaming } from '../golden/index.ts';
import * as queries from './queries.ts';
import type { ComparedEntry } from './rules/findings.ts';
import type { PlannedProposal } from './rules/plan.ts';

export type ProposalAnswer = Output<'consolidation.propose'>;
export type CandidateAnswer = Output<'consolidation.candidates'>['proposals'][number];
type ShownSource = CandidateAnswer['sources'][number];
type NumberedSource = Pick<queries.ProposalSourceRow, 'entry_id' | 'version'>;

/** Characters of the value of a source that are shown. */
const VALUE_CHARS = 240;
/** Documents of all sources that are shown; what is beyond is shown without its value. */
const MAX_BYTES = 512 * 1024;

type ShownProposal = Pick<queries.ProposalRow, 'strategy' | 'proposed_confidence' | 'rationale'> & {
  proposed_value: string | null;
  sources: ShownSource[];
};

function toCandidate({ strategy, proposed_value, sources, ...shown }: ShownProposal): CandidateAnswer {
  const [{ entity_path, key }] = sources as [ShownSource];
  return {
    ...{ entity_path, key, branch: 'main', strategy: strategy as CandidateAnswer['strategy'] },
    risk_tier: 'review_required',
    sources,
    source_entry_keys: sources.map((source) => entryName(source.entity_path, source.key)),
    proposed_value: new JsonText(proposed_value ?? 'null'),
    proposed_confidence: shown.proposed_confidence,
    compression_ratio: sources.length,
    rationale: shown.rationale,
  };
}

/** The values of versions as JSON; null where the version was erased. */
async function valuesOf(
  query: Query,
  accountId: string,
  versions: readonly NumberedSource[],
): Promise<(string | null)[]> {
  const documents = await findDocuments(query, accountId, versions);
  return documents.map((document) =>
    document === undefined ? null : fromDocument({ document, deleted: 0, confidence: 0 }).value,
  );
}

type ShownValue = Pick<ShownSource, 'value' | 'value_truncated'>;

/** What sources said in the versions that a proposal is about, in short. */
async function loadShortValues(
  query: Query,
  accountId: string,
  sources: readonly NumberedSource[],
): Promise<(source: NumberedSource) => ShownValue> {
  const nameOf = ({ entry_id, version }: NumberedSource) => `${entry_id} ${version}`;
  const numbers = [...new Map(sources.map((source) => [nameOf(source), source])).values()];
  const { documents } = await findDocumentsWithin(query, accountId, { numbers, bytes: MAX_BYTES });
  const places = new Map(numbers.map((source, at) => [nameOf(source), at]));
  return (source) => {
    const document = documents[places.get(nameOf(source)) ?? -1];
    return document === undefined
      ? { value: null, value_truncated: true }
      : shortValue(rawValue(document), VALUE_CHARS);
  };
}

type GoldenLook = {
  context: Pick<ReadContext, 'scan' | 'view' | 'dialect'>;
  /** All sources of the answers. */
  entries: readonly { entry_id: number }[];
  /** Whether approval changes what the kept entry says. */
  changesKept: (at: number) => boolean;
};

/** Adds what approval would change in the answers to questions whose answers are known, as far as the caller may see them. */
export async function withGoldenQueries<T extends CandidateAnswer>(
  answers: readonly T[],
  { context, entries, changesKept }: GoldenLook,
): Promise<T[]> {
  const questions = await goldenQueriesNaming(context, entries);
  return answers.map((answer, at) => ({
    ...answer,
    golden_queries: questions.flatMap(({ question, entity_path, key }) => {
      const source = answer.sources.find((one) => one.entity_path === entity_path && one.key === key);
      if (!source || (source.kept && !changesKept(at))) return [];
      return [{ question, entity_path, key, change: source.kept ? ('changes' as const) : ('moves' as const) }];
    }),
  }));
}

/** What a run would propose, as it is shown. */
export async function showCandidates(
  query: Query,
  accountId: string,
  planned: readonly PlannedProposal[],
): Promise<CandidateAnswer[]> {
  const kept = planned.map(({ sources }) => sources[0] as ComparedEntry);
  const [values, shortOf] = await Promise.all([
    valuesOf(query, accountId, kept),
    loadShortValues(
      query,
      accountId,
      planned.flatMap(({ sources }) => sources),
    ),
  ]);
  return planned.map(({ strategy, sources, rationale }, at) =>
    toCandidate({
      ...{ strategy, rationale, proposed_value: values[at] ?? null },
      proposed_confidence: (kept[at] as ComparedEntry).confidence,
      sources: sources.map((entry, no) => sourceOf({ ...entry, ...shortOf(entry), kept: no === 0 })),
    }),
  );
}

const sourceOf = (facts: ShownSource): ShownSource => {
  const { entity_path, key, version, agent_id, value, value_truncated, confidence, evidence_status, kept } = facts;
  return { entity_path, key, version, agent_id, value, value_truncated, confidence, evidence_status, kept };
};

/** Proposals whose sources the caller may see, as they are shown. */
export async function showProposals(
  query: Query,
  dialect: Dialect,
  rows: readonly queries.ProposalRow[],
): Promise<ProposalAnswer[]> {
  const account_id = rows[0]?.account_id;
  if (account_id === undefined) return [];
  const ids = rows.map(({ proposal_id }) => proposal_id);
  const sources = await queries.listSources(query, account_id, dialect.texts(ids));
  const entryIds = sources.map(({ entry_id }) => entry_id);
  const [facts, versions, shortOf] = await Promise.all([
    findStoodEntries(query, account_id, entryIds),
    findVersions(query, account_id, sources),
    loadShortValues(query, account_id, sources),
  ]);
  const byProposal = new Map<string, { kept: NumberedSource; sources: ShownSource[] }>();
  sources.forEach((source, at) => {
    const entry = facts[at];
    if (!entry) return;
    const one = byProposal.get(source.proposal_id) ?? { kept: source, sources: [] };
    const evidence_status = evidenceStatus(standingOf(entry), entry.confidence);
    const { version } = source;
    // Somebody else may have written it since.
    const agent_id = versions[at]?.agent_id ?? entry.agent_id;
    const shown = { version, agent_id, evidence_status, kept: source.no === 0, ...shortOf(source) };
    one.sources.push(sourceOf({ ...entry, ...shown }));
    byProposal.set(source.proposal_id, one);
  });
  const shown = rows.flatMap((row) => {
    const found = byProposal.get(row.proposal_id);
    return found && found.sources.length === row.source_count ? [{ row, ...found }] : [];
  });
  const values = await valuesOf(
    query,
    account_id,
    shown.map(({ kept }) => kept),
  );
  return shown.map(({ row, sources: all }, at) => ({
    ...toCandidate({ ...row, sources: all, proposed_value: row.proposed_value ?? values[at] ?? null }),
    proposal_id: row.proposal_id,
    status: row.status as ProposalAnswer['status'],
    agent_id: row.agent_id,
    created_at: toIso(row.created_at),
    reviewed_by: row.reviewed_by,
    reviewed_at: toIsoOrNull(row.reviewed_at),
    seq: row.seq,
  }));
}
