import type { Output } from '@mem-service/contract';
import { branchOf, pageBytes, pageLimit, type ReadContext, requireNewest } from '../../kernel/index.ts';
import { findSharedCounts, type SharedCount } from '../counts/index.ts';
import { findOutcomes, type NumberedOutcome } from '../ledger/index.ts';
import { findCited } from './cited-entries.ts';
import { findEdges, tiesOf } from './map-edges.ts';
import { type DigestFilter, findDigests, listDigestRows } from './queries.ts';
import { toDigest } from './render.ts';
import { type DigestKey, type DigestRow, digestName, partsOf } from './rows.ts';
import { agentsOfSource, type CitedEntry, type CitedOutcome, isAboutPath } from './rules/cited.ts';
import { shownIn } from './rules/lists.ts';
import type { CitedEdge } from './rules/map-sentences.ts';
import { isVisible, type VisibleParts } from './rules/summary.ts';

export type DigestAnswer = Output<'digests.list'>['digests'][number];

/** What reading digests needs of a request. */
export type DigestContext = Pick<ReadContext, 'scan' | 'view' | 'services' | 'now'>;

export type DigestPage = {
  digests: DigestAnswer[];
  /** The last digest that was looked at, where others follow. */
  next: Pick<DigestKey, 'digest_type' | 'scope'> | undefined;
};

/**
 * Digests by type and scope, of what the view may show: an entry, sentence or count that the caller may not see is in none
 * of them. A page may have fewer than `limit`, although others follow.
 */
export async function listDigests(context: DigestContext, filter: DigestFilter): Promise<DigestPage> {
  const { scan, view, services } = context;
  requireNewest(view, 'a digest');
  const page = { ...filter, limit: filter.limit + 1, bytes: pageLimit(services, 'parts') };
  const { rows, more } = await listDigestRows(scan, view, page);
  const looked = rows.slice(0, filter.limit);
  const shown = await showDigests(context, looked);
  const bytes = pageBytes(services);
  let size = 0;
  let last: DigestRow | undefined;
  const digests: DigestAnswer[] = [];
  for (const row of looked) {
    const digest = shown.get(digestName(row));
    size += digest ? Buffer.byteLength(JSON.stringify(digest)) : 0;
    if (digest && digests.length > 0 && size > bytes) break;
    if (digest) digests.push(digest);
    last = row;
  }
  const hasNext = more || rows.length > filter.limit || last !== looked.at(-1);
  return { digests, next: hasNext && last ? { digest_type: last.digest_type, scope: last.scope } : undefined };
}

/** The digests with these keys: one result per key, in order; undefined where there is none that the view may show. */
export async function readDigests(
  context: DigestContext,
  keys: readonly Omit<DigestKey, 'branch'>[],
): Promise<(DigestAnswer | undefined)[]> {
  const { scan, view } = context;
  requireNewest(view, 'a digest');
  const branch = branchOf(view);
  const rows = await findDigests(
    scan,
    view.account_id,
    keys.map((key) => ({ ...key, branch })),
  );
  const found = rows.filter((row) => row?.is_shown === 1).filter((row) => row !== undefined);
  const shown = await showDigests(context, found);
  return keys.map((key) => shown.get(digestName({ ...key, branch })));
}

/** By name, those that the view may show. */
async function showDigests(context: DigestContext, rows: readonly DigestRow[]): Promise<Map<string, DigestAnswer>> {
  const known = await lookUp(context, rows);
  const shown = new Map<string, DigestAnswer>();
  for (const row of rows) {
    const parts = visibleParts(context, row, known);
    if (isVisible(parts)) shown.set(digestName(row), toDigest(row, parts, context.now));
  }
  return shown;
}

type LookedUp = {
  entries: ReadonlyMap<number, CitedEntry>;
  outcomes: ReadonlyMap<number, NumberedOutcome>;
  counts: ReadonlyMap<string, SharedCount>;
  edges: ReadonlyMap<string, readonly CitedEdge[]>;
};

/** Everything that the digests of a page point at, with a few statements for any number of digests. */
async function lookUp({ scan, view }: DigestContext, rows: readonly DigestRow[]): Promise<LookedUp> {
  const parts = rows.map(partsOf);
  const ids = parts.flatMap((one) => [...shownIn(one), ...one.outcomes.flatMap(([, entries]) => entries)]);
  const seqs = [...new Set(parts.flatMap(({ outcomes }) => outcomes.map(([seq]) => seq)))];
  const names = [...new Set(rows.flatMap(countNames))];
  const [entries, outcomes, counts, edges] = await Promise.all([
    findCited(scan, view, ids),
    findOutcomes(scan, view.account_id, seqs),
    findSharedCounts(
      scan,
      { account_id: view.account_id, branch: branchOf(view) },
      names.map((name) => ({ kind: name.startsWith('/') ? 'entity' : 'agent', name: name.slice(1) })),
    ),
    findEdges(
      scan,
      view,
      rows.flatMap(({ digest_type, scope }) => (digest_type === 'connection_map' ? scope : [])),
    ),
  ]);
  return {
    entries,
    outcomes: new Map(outcomes.flatMap((row) => (row?.visible_to === '' ? [[row.seq, row]] : []))),
    counts: new Map(counts.flatMap((count, i) => (count ? [[names[i] as string, count]] : []))),
    edges,
  };
}

/** What a digest counts: a path after a slash, or an agent after an `@`. */
function countNames({ digest_type, scope }: Pick<DigestRow, 'digest_type' | 'scope'>): string[] {
  if (isAboutPath(digest_type)) return [`/${scope}`];
  return (digest_type === 'source' ? agentsOfSource(scope) : [scope]).map((agent) => `@${agent}`);
}

function visibleParts({ view }: DigestContext, row: DigestRow, known: LookedUp): VisibleParts {
  const { digest_type, scope } = row;
  const parts = partsOf(row);
  const authors = digest_type === 'source' ? agentsOfSource(scope) : [scope];
  const isOfScope = (entry: CitedEntry) =>
    isAboutPath(digest_type) ? entry.entity_path === scope : authors.includes(entry.agent_id);
  const found = (ids: readonly number[]) => ids.flatMap((id) => known.entries.get(id) ?? []);
  const cited = parts.outcomes.flatMap(([seq, ids]): CitedOutcome[] => {
    const outcome = known.outcomes.get(seq);
    const entries = found(ids);
    return outcome && (entries.length > 0 || ids.length === 0) ? [{ ...outcome, entries }] : [];
  });
  // Counts of an agent are those of all paths.
  const isCounted = isAboutPath(digest_type) || view.scope === undefined;
  const shown = found(shownIn(parts));
  const isMap = digest_type === 'connection_map';
  return {
    digest_type,
    scope,
    entries: shown.filter(isOfScope),
    outcomes: isCounted ? cited : cited.filter(({ entries }) => entries.length > 0),
    counted: isCounted ? sumOf(countNames(row).map((name) => known.counts.get(name))) : undefined,
    edges: isMap ? [...(known.edges.get(scope) ?? []), ...tiesOf(scope, cited)] : [],
    ends: isMap ? [...shown, ...cited.flatMap(({ entries }) => entries)].filter((entry) => !isOfScope(entry)) : [],
  };
}

function sumOf(counts: readonly (SharedCount | undefined)[]) {
  const sum = { n: 0, confidence_sum: 0, last_at: 0 };
  for (const count of counts) {
    if (!count || count.n <= 0) continue;
    sum.n += count.n;
    sum.confidence_sum += count.confidence_sum;
    sum.last_at = Math.max(sum.last_at, count.last_at);
  }
  return sum;
}
