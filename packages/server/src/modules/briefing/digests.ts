import { isNewestOfOneBranch, type ReadContext } from '../../kernel/index.ts';
import { type DigestAnswer, type DigestKey, listDigests, readDigests } from '../cortex/index.ts';
import { type AskedBriefing, isWithin } from './asked.ts';
import type { KnownEntries } from './known-entries.ts';
import type { Anticipation, ScopePaths } from './rules/anticipation.ts';
import { bestFirst } from './rules/rank.ts';
import { relevanceOf } from './rules/relevance.ts';

/** Digests that are looked at. */
const MOST = 100;
const BELOW = 6;
const LIKELY = 6;
const AUTHORS = 3;
const NARRATIVE_CHARS = 400;

type FoundKnowledge = { known: KnownEntries; anticipation: Anticipation };

/** Digests for a briefing, the most relevant first. */
export async function findDigests(
  context: ReadContext,
  asked: AskedBriefing,
  { known, anticipation }: FoundKnowledge,
): Promise<DigestAnswer[]> {
  const { path, agent_id, paths, input } = asked;
  // Digests are compiled of the newest state of a branch that inherits nothing.
  if (!isNewestOfOneBranch(context.view)) return [];
  // Each digest costs something to compose: no more than may be shown are looked at.
  const most = input.compact ? 1 : input.limit;
  const below = paths?.find(({ kind }) => kind === 'below' || kind === 'children');
  const [named, listed] = await Promise.all([
    readDigests(context, wantedKeys(asked, known, most)),
    path === undefined || below
      ? listDigests(context, { types: ['entity'], limit: Math.min(BELOW, most), ...(below ? { paths: below } : {}) })
      : { digests: [] },
  ]);
  const found = [...named.filter((digest) => digest !== undefined), ...listed.digests];
  const digests = [...new Map(found.map((one) => [`${one.digest_type}\n${one.scope}`, one])).values()].slice(0, MOST);
  const scored = digests.map((digest) => ({
    ...digest,
    anticipation_score: anticipation.chanceOf(scopePaths(digest)),
  }));
  const score = (digest: DigestAnswer) =>
    relevanceOf(digest, {
      path,
      agent_id,
      entities: digest.summary.entities,
      agents: digest.summary.agents,
      now: context.now,
    });
  return bestFirst(scored, score, ({ seq }) => seq);
}

/** The digests of the path and the agent, of paths that the agent is likely to read, and of the authors to ask. */
function wantedKeys(
  { path, agent_id, visits }: AskedBriefing,
  { supported }: KnownEntries,
  most: number,
): Omit<DigestKey, 'branch'>[] {
  const authors = [...new Set([agent_id, ...supported.map((entry) => entry.agent_id)])].slice(
    0,
    Math.min(AUTHORS + 1, most),
  );
  const likely = [...new Set(visits.map(({ entity_path }) => entity_path))]
    .filter((one) => path === undefined || isWithin(one, path))
    .slice(0, Math.min(LIKELY, most));
  const ofPath = path === undefined ? [] : (['entity', 'connection_map', 'trace_pattern'] as const);
  return [
    ...ofPath.map((digest_type) => ({ digest_type, scope: path as string })),
    ...authors.map((scope) => ({ digest_type: 'agent_brief' as const, scope })),
    ...likely.filter((scope) => scope !== path).map((scope) => ({ digest_type: 'entity' as const, scope })),
  ];
}

/** The paths that a digest is about; of an agent or a source, those of the entries that it points at. */
const scopePaths = ({ digest_type, scope, summary }: DigestAnswer): ScopePaths =>
  digest_type === 'agent_brief' || digest_type === 'source' ? summary.entities : [scope];

/** Lists of entries in a digest that the sections of a briefing have, or that its sentences point at. */
const LISTS: readonly (keyof DigestAnswer['summary'])[] = [
  ...(['top_keys', 'newest', 'most_recalled', 'validated', 'contested', 'discredited'] as const),
  ...(['procedures', 'risks', 'outcomes'] as const),
];

/** A digest without its lists; where it is compact, also without its sentences one by one. */
export function briefDigest(digest: DigestAnswer, isCompact: boolean): DigestAnswer {
  const summary = { ...digest.summary };
  for (const list of LISTS) delete summary[list];
  if (!isCompact) return { ...digest, summary };
  const { narrative } = summary;
  const isLong = narrative.length > NARRATIVE_CHARS;
  const short = isLong ? `${narrative.slice(0, NARRATIVE_CHARS).toWellFormed()}…` : narrative;
  return { ...digest, summary: { ...summary, narrative: short, sentences: [] } };
}
