import { ADMINS, MAIN_BRANCH, patternShapes, SELF_CALLER, sha256, type Work } from '@mem-service/server/module';
import * as queries from './queries.ts';
import type { PatternFinding } from './rules/finding.ts';

/** So many patterns of one type are kept, the most severe and the heaviest. */
const MAX_OF_TYPE = 500;

/** The same in every scan that finds the same about the same. */
export function patternIdOf({ pattern_type, entity_path, agent_id, branch, pull_request_id }: PatternFinding): string {
  const about = JSON.stringify([pattern_type, entity_path, agent_id, branch, pull_request_id]);
  return sha256(about).slice(0, 32);
}

const rankOf = (severity: string): number =>
  patternShapes.patternSeverities.indexOf(severity as patternShapes.PatternSeverity);

/** More than any place in a log. */
const LOG_END = 2 ** 46;

/** Critical ones first, then the newest. */
export const listOrderOf = (severity: string, seq: number): number => (rankOf(severity) + 1) * LOG_END - seq;

type KeptWeight = Pick<queries.KeptPattern, 'pattern_id' | 'pattern_type' | 'severity' | 'weight'>;

function isHeavier(a: KeptWeight, b: KeptWeight): boolean {
  const difference = rankOf(a.severity) - rankOf(b.severity) || b.weight - a.weight;
  return difference === 0 ? a.pattern_id < b.pattern_id : difference < 0;
}

/** What a scan has found so far, as many as are kept of each type. */
export class KeptPatterns {
  readonly #types = new Map<string, Map<string, KeptWeight>>();
  readonly #lightest = new Map<string, KeptWeight>();

  constructor(found: readonly KeptWeight[]) {
    for (const one of found) this.add(one);
  }

  has({ pattern_id, pattern_type }: KeptWeight): boolean {
    return this.#types.get(pattern_type)?.has(pattern_id) ?? false;
  }

  /** Undefined where there is no room for it; otherwise the one that has to go, if one has to. */
  add(one: KeptWeight): { displaced: string | undefined } | undefined {
    const kept = this.#types.get(one.pattern_type) ?? new Map<string, KeptWeight>();
    this.#types.set(one.pattern_type, kept);
    const isFull = kept.size >= MAX_OF_TYPE && !kept.has(one.pattern_id);
    const lightest = isFull ? this.#lightestOf(one.pattern_type, kept) : undefined;
    if (lightest && !isHeavier(one, lightest)) return undefined;
    if (lightest) kept.delete(lightest.pattern_id);
    this.#lightest.delete(one.pattern_type);
    kept.set(one.pattern_id, one);
    return { displaced: lightest?.pattern_id };
  }

  #lightestOf(type: string, kept: ReadonlyMap<string, KeptWeight>): KeptWeight | undefined {
    const known = this.#lightest.get(type);
    if (known) return known;
    const [first, ...others] = kept.values();
    const lightest = first && others.reduce((least, one) => (isHeavier(least, one) ? one : least), first);
    if (lightest) this.#lightest.set(type, lightest);
    return lightest;
  }
}

type FindingScan = { scan_seq: number; kept: KeptPatterns };

/** Stores findings as patterns: new ones are opened, cleared ones too, and resolved ones where there is newer evidence. */
export async function saveFindings(
  work: Work,
  { scan_seq, kept }: FindingScan,
  findings: readonly PatternFinding[],
): Promise<{ found: number; opened: number }> {
  if (findings.length === 0) return { found: 0, opened: 0 };
  const { account_id, tx, dialect } = work;
  const named = new Map(findings.map((finding) => [patternIdOf(finding), finding]));
  const known = await queries.findPatterns(tx, account_id, [...named.keys()]);
  const gone: string[] = [];
  const saved = new Map<string, queries.DetectedRow>();
  let found = 0;
  let opened = 0;
  for (const [i, [pattern_id, finding]] of [...named].entries()) {
    const weight = { pattern_id, ...finding };
    const isNew = !kept.has(weight);
    const room = kept.add(weight);
    if (!room) continue;
    if (room.displaced !== undefined) {
      gone.push(room.displaced);
      saved.delete(room.displaced);
    }
    const row = patternAfter(work, { pattern_id, finding, scan_seq, before: known[i] });
    found += Number(isNew);
    opened += Number(row.opened_at === work.now && row.seq !== known[i]?.seq);
    saved.set(pattern_id, row);
  }
  const rows = [...saved.values()];
  const agents = rows.flatMap(({ pattern_id }) =>
    (named.get(pattern_id)?.agents ?? []).map((agent_id) => ({ account_id, pattern_id, agent_id })),
  );
  if (gone.length > 0) await queries.deletePatterns(tx, account_id, { ids: dialect.texts(gone), status: 'open' });
  await queries.deleteAgentsOf(tx, account_id, dialect.texts([...saved.keys()]));
  work.send(tx.insertMany(queries.upsertPatterns, rows));
  work.send(tx.insertMany(queries.insertPatternAgents, agents));
  return { found, opened };
}

type FoundAgain = {
  pattern_id: string;
  finding: PatternFinding;
  scan_seq: number;
  before: queries.DetectedRow | undefined;
};

function patternAfter(work: Work, { pattern_id, finding, scan_seq, before }: FoundAgain): queries.DetectedRow {
  const { account_id, now } = work;
  const { pattern_type, severity, weight, entity_path, agent_id, branch, pull_request_id, evidence_seq } = finding;
  if (before?.status === 'resolved' && evidence_seq <= (before.resolved_seq ?? 0)) return { ...before, scan_seq };
  const facts = {
    ...{ account_id, pattern_id, pattern_type, severity, weight, entity_path, of_agent: agent_id, branch },
    ...{ pull_request_id, evidence_seq, scan_seq, status: 'open' },
    figures: JSON.stringify(finding.figures),
    evidence: JSON.stringify({
      entries: finding.entries.map(({ entry_id, version, group }) =>
        group === undefined ? [entry_id, version] : [entry_id, version, group],
      ),
      traces: finding.trace_ids,
    }),
    ...{ resolved_seq: null, resolved_at: null, resolved_by: null, reason: '' },
  };
  if (before?.status === 'open')
    return { ...before, ...facts, list_order: listOrderOf(severity, before.seq), updated_at: now };
  const seq = emitPattern(work, {
    event_type: before ? 'pattern_reopened' : 'pattern_opened',
    pattern: { pattern_id, pattern_type, severity },
  });
  return {
    ...facts,
    ...{ seq, list_order: listOrderOf(severity, seq), opened_at: now, updated_at: now },
    detected_at: before?.detected_at ?? now,
    reopened: before ? before.reopened + 1 : 0,
  };
}

type PatternEvent = {
  event_type: 'pattern_opened' | 'pattern_reopened' | 'pattern_resolved';
  pattern: Pick<queries.DetectedRow, 'pattern_id' | 'pattern_type' | 'severity'>;
  author?: { agent_id: string; session?: string };
};

/** Without the name of what it is about: those who may see it look it up. */
export function emitPattern(work: Work, { event_type, pattern, author = SELF_CALLER }: PatternEvent): number {
  const { pattern_id, pattern_type, severity } = pattern;
  const { agent_id, session } = author;
  return work.emit({
    event_type,
    ...{ agent_id, ...(session === undefined ? {} : { session }), branch: MAIN_BRANCH, visible_to: ADMINS },
    ...{ entity_path: null, key: null, version: null },
    details: { pattern_id, pattern_type, severity },
  });
}
