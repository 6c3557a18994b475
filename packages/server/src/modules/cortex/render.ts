import { toIso, toIsoOrNull } from '../../kernel/index.ts';
import type { DigestAnswer } from './read-digests.ts';
import type { DigestRow } from './rows.ts';
import type { CitedEntry } from './rules/cited.ts';
import { connectedTo, eventTypesOf, figuresOf, relationsOf, topRead, type VisibleParts } from './rules/summary.ts';

type Summary = DigestAnswer['summary'];
type DigestItem = NonNullable<Summary['newest']>[number];

const placeOf = ({ entity_path, key, version }: CitedEntry) => ({ entity_path, key, version });

const toShown = (entry: CitedEntry): DigestItem => ({
  ...placeOf(entry),
  memory_type: entry.memory_type as DigestItem['memory_type'],
  confidence: entry.confidence,
  agent_id: entry.agent_id,
  written_at: toIso(entry.written_at),
  recall_count: entry.recall_count,
  evidence_status: entry.status,
  success_count: entry.success_count,
  failure_count: entry.failure_count,
  last_outcome_at: toIsoOrNull(entry.last_outcome_at),
});

/** The digest as it goes over the wire, from what its reader may see. */
export function toDigest(row: DigestRow, parts: VisibleParts, now: number): DigestAnswer {
  const figures = figuresOf(parts);
  const { agents, external_sources } = figures;
  const summary: Summary = {
    narrative: figures.sentences.map(({ text }) => text).join(' '),
    sentences: figures.sentences.map(({ text, entries }) => ({ text, entries: entries.map(placeOf) })),
    total_keys: figures.total_keys,
    agents: [...agents],
    external_sources: [...external_sources],
    avg_confidence: figures.avg_confidence,
    last_write: toIsoOrNull(figures.last_at),
    entities: [...figures.entities],
    ...membersOf(parts, figures),
  };
  return {
    digest_type: row.digest_type,
    scope: row.scope,
    branch: row.branch,
    summary,
    entry_count: figures.entry_count,
    source_agents: [...agents, ...external_sources],
    anticipation_score: 0,
    compiled_at: toIso(row.compiled_at),
    staleness_ms: Math.max(0, now - row.compiled_at),
    seq: row.seq,
  };
}

type Figures = ReturnType<typeof figuresOf>;

/** What only digests of its type have. */
function membersOf(parts: VisibleParts, figures: Figures): Partial<Summary> {
  const { digest_type, outcomes, edges, entries } = parts;
  if (digest_type === 'connection_map')
    return { total_edges: edges.length, connected_entities: connectedTo(edges), relations: relationsOf(edges) };
  if (digest_type === 'trace_pattern')
    return {
      trace_count: outcomes.length,
      top_read_keys: topRead(outcomes).map(({ entry, count }) => ({ ...placeOf(entry), count })),
    };
  const { discredited, ...sections } = figures.sections;
  const shown = Object.fromEntries(Object.entries(sections).map(([name, section]) => [name, section.map(toShown)]));
  return {
    ...shown,
    discredited: discredited.map(({ entry, replaced_by }) => ({
      ...toShown(entry),
      replaced_by: replaced_by.map(placeOf),
    })),
    outcomes: outcomes.map(({ outcome_ref, outcome_type, agent_id, committed_at, entries }) => ({
      outcome_ref,
      outcome_type,
      agent_id,
      committed_at: toIso(committed_at),
      entries: entries.map(placeOf),
    })),
    ...(digest_type === 'source' ? { event_types: eventTypesOf(entries) } : {}),
  };
}
