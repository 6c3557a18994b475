import { type Glob, globsOf, type Input } from '@mem-service/contract';
import { fromIso, type ReadContext, type Scope, scopeGlobs, seqAt } from '../../kernel/index.ts';
import { KEPT_PATHS, KEPT_SESSIONS } from './follow-log.ts';
import { listVisits, type VisitRow } from './queries.ts';
import type { ReadSessions } from './rules/anticipation.ts';
import { listedAbove } from './rules/marks.ts';

export type BriefingInput = Input<'briefing.read'>;

/** What a briefing is about and for whom. */
export type AskedBriefing = {
  input: BriefingInput;
  agent_id: string;
  /** The path, where one is asked for. */
  path: string | undefined;
  /** Undefined: everything. */
  paths: readonly Glob[] | undefined;
  /** Paths that marks are listed below. */
  roots: readonly string[];
  /** What the agent read in its last sessions, newest first. */
  visits: readonly VisitRow[];
  lastVisit: VisitRow | undefined;
  /** Changes after this place in the log are new to the agent; 0 where nothing is known of it. */
  since: number;
};

/** More paths of a key than this are looked at together, from their common root. */
const MAX_ROOTS = 8;

export async function askedOf(context: ReadContext, input: BriefingInput): Promise<AskedBriefing> {
  const { caller, read, view } = context;
  const agent_id = input.agent ?? input.agent_id ?? caller.agent_id;
  const globs = globsOf({ entity_path: input.entity_path, include_descendants: true });
  const paths = globs?.some(({ kind }) => kind === 'all') ? undefined : globs;
  const path = paths?.[0] && baseOf(paths[0]);
  const visits = await listVisits(read, view, { agent_id, most: KEPT_SESSIONS * KEPT_PATHS });
  const here = visits.filter(({ entity_path }) => path === undefined || isWithin(entity_path, path));
  const ofLast = here.filter(({ seq }) => seq === here[0]?.seq);
  const lastVisit = ofLast.sort((a, b) => b.read_at - a.read_at)[0];
  const time = input.since === undefined ? lastVisit?.read_at : fromIso(input.since);
  const since = time === undefined ? 0 : (await seqAt(read, caller.account_id, time)) - 1;
  return { input, agent_id, path, paths, roots: rootsOf(view.scope, path), visits, lastVisit, since };
}

const baseOf = (glob: Glob): string | undefined =>
  glob.kind === 'exact' ? glob.path : glob.kind === 'all' ? undefined : glob.base;

export const isWithin = (path: string, above: string): boolean => path === above || path.startsWith(`${above}/`);

/** Where to look for marks: below the path, or below what the key may read, so that nothing else takes the room. */
function rootsOf(scope: Scope | undefined, path: string | undefined): string[] {
  if (scope === undefined) return [path === undefined ? '' : listedAbove(path)];
  const within = scopeGlobs(scope).flatMap((glob) => {
    const base = baseOf(glob);
    if (base === undefined || path === undefined) return [base ?? path ?? ''];
    if (isWithin(base, path)) return [base];
    return isWithin(path, base) ? [path] : [];
  });
  const roots = [...new Set(within.map(listedAbove))];
  return roots.length <= MAX_ROOTS ? roots : [path === undefined ? '' : listedAbove(path)];
}

/** The sessions of the agent, oldest first, each as the paths it read. */
export function sessionsOf(visits: readonly VisitRow[]): ReadSessions {
  const bySeq = new Map<number, string[]>();
  for (const { seq, entity_path } of visits.toReversed()) bySeq.set(seq, [...(bySeq.get(seq) ?? []), entity_path]);
  return [...bySeq.values()];
}
