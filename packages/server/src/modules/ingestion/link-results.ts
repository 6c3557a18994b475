import { type EntryKey, entityPathProblem, utf8Length } from '@mem-service/contract';
import {
  type Caller,
  entryName,
  isInScope,
  MAIN_BRANCH,
  MAIN_LINEAGE,
  splitEntryName,
  viewInWork,
  type Work,
} from '../../kernel/index.ts';
import { findNamedEntries } from '../entries/index.ts';
import { type Ends, entryEnd, linkBetween } from '../graph/index.ts';
import type { Arrival } from './arrivals.ts';
import type { ArrivedWrite } from './rules/results.ts';

export type Linked = { arrival: Arrival; write: ArrivedWrite };
type StatedLink = { arrival: Arrival; source: string; relation: string; to: string };
type LinkedEntries = {
  /** The numbers of entries that were not there before, which have no edges yet. */
  made: ReadonlyMap<string, number>;
  /** The entry that the event of an arrival is about. */
  about: ReadonlyMap<Arrival, string>;
};

const MAX_RELATION_BYTES = 64;
const MAX_NAME_BYTES = 900;

/** Names that an edge cannot have are left out: what they are links of is stored all the same. */
const isSound = ({ relation, to }: StatedLink): boolean =>
  utf8Length(relation) <= MAX_RELATION_BYTES &&
  // biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the point
  !/[,\u0000-\u001f\u007f-\u009f]/.test(relation) &&
  utf8Length(to) <= MAX_NAME_BYTES &&
  entityPathProblem(to) === undefined;

/**
 * Adds the edges that results name: to an entry where there is one of that name, and else to the name. Returns how many of
 * them are of the entry that the event of an arrival is about: only that event reports them.
 */
export async function linkResults(
  work: Work,
  linked: readonly Linked[],
  { made, about }: LinkedEntries,
): Promise<Map<Arrival, number>> {
  const links = linked
    .flatMap(({ arrival, write }): StatedLink[] => {
      const source = entryName(write.entity_path, write.key);
      return write.links.map(({ relation, to }) => ({ arrival, source, relation, to }));
    })
    .filter(isSound);
  const find = await findEnds(work, links, made);
  const ends = links.map((link): Ends => ({ source: find(link, link.source), target: find(link, link.to) }));
  const stated = links.map((link, i) => statedBy(link, ends[i]?.target ? 'entry' : 'entity'));
  const between = ends.map(({ source, target }, i) => ({ source, target: target ?? nameEnd(links[i] as StatedLink) }));
  const isNew = (i: number) => made.has((links[i] as StatedLink).source);
  const isReported = (i: number) => about.get((links[i] as StatedLink).arrival) === links[i]?.source;
  const done = await linkBetween(work, stated, { ends: between, isNew, isReported });
  const reported = new Map<Arrival, number>();
  for (const [i, { arrival }] of links.entries())
    if (done[i] === 'written' && isReported(i)) reported.set(arrival, (reported.get(arrival) ?? 0) + 1);
  return reported;
}

const nameEnd = ({ to }: StatedLink) => ({ id: to, shared: true });

type FindEnd = (link: StatedLink, name: string) => Ends['source'];

/** Finds ends as their sender sees them: with one statement for a sender. */
async function findEnds(work: Work, links: readonly StatedLink[], made: ReadonlyMap<string, number>): Promise<FindEnd> {
  const asked = new Map<string, Map<string, EntryKey>>();
  for (const { arrival, source, to } of links) {
    const names = asked.get(arrival.sender) ?? new Map<string, EntryKey>();
    asked.set(arrival.sender, names);
    for (const name of [source, to]) {
      const split = made.has(name) ? undefined : splitEntryName(name);
      if (split) names.set(name, split);
    }
  }
  const ends = new Map<string, Ends['source']>();
  for (const [agent_id, names] of asked) {
    const view = viewInWork(work, { lineage: MAIN_LINEAGE, agent_id });
    const found = await findNamedEntries(work.tx, view, { names: [...names.values()] });
    [...names.keys()].forEach((name, i) => {
      const entry = found[i];
      if (entry) ends.set(`${agent_id}\n${name}`, entryEnd({ ...entry, shared: entry.shared === 1 }));
    });
  }
  return ({ arrival, source }, name) => {
    const path = splitEntryName(name)?.entity_path;
    if (name !== source && (path === undefined || !isInScope(arrival.caller.key?.write, path))) return undefined;
    const entry_id = made.get(name);
    return entry_id === undefined ? ends.get(`${arrival.sender}\n${name}`) : entryEnd({ entry_id, shared: true });
  };
}

const withoutSession = (caller: Caller): Caller =>
  caller.session_id === null ? caller : Object.assign({}, caller, { session_id: null });

const statedBy = ({ arrival, source, relation, to }: StatedLink, target_type: 'entry' | 'entity') => ({
  input: {
    source,
    source_type: 'entry' as const,
    relation,
    target: to,
    target_type,
    branch: MAIN_BRANCH,
    agent_id: arrival.sender,
    confidence: 1,
    shared: true,
  },
  caller: withoutSession(arrival.caller),
  lineage: MAIN_LINEAGE,
});
