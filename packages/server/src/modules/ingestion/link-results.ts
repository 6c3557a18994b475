import { entityPathProblem, utf8Length } from '@mem-service/contract';
import { entryName, isInScope, MAIN_BRANCH, MAIN_LINEAGE, splitEntryName, type Work } from '../../kernel/index.ts';
import { findNamedNumbers } from '../entries/index.ts';
import { linkAllOnce } from '../graph/index.ts';
import type { Arrival } from './arrivals.ts';
import type { ArrivedWrite } from './rules/results.ts';

export type Linked = { arrival: Arrival; write: ArrivedWrite };
type StatedLink = Linked & { relation: string; to: string };

const MAX_RELATION_BYTES = 64;
const MAX_NAME_BYTES = 900;

/** Names that an edge cannot have are left out: what they are links of is stored all the same. */
const isSound = ({ relation, to }: StatedLink): boolean =>
  utf8Length(relation) <= MAX_RELATION_BYTES &&
  // biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the point
  !/[,\u0000-\u001f\u007f-\u009f]/.test(relation) &&
  utf8Length(to) <= MAX_NAME_BYTES &&
  entityPathProblem(to) === undefined;

/** Adds the edges that results name: to an entry where there is one of that name, and else to the name. */
export async function linkResults(work: Work, linked: readonly Linked[]): Promise<void> {
  const links = linked
    .flatMap(({ arrival, write }): StatedLink[] => write.links.map((link) => ({ arrival, write, ...link })))
    .filter(isSound);
  if (links.length === 0) return;
  const names = links.map(({ to, arrival }) => {
    const name = splitEntryName(to);
    return name && isInScope(arrival.caller.key?.write, name.entity_path) ? name : undefined;
  });
  const asked = names.flatMap((name) => (name ? [{ branch: MAIN_BRANCH, ...name }] : []));
  const found = asked.length === 0 ? [] : await findNamedNumbers(work.tx, work.account_id, asked);
  let next = 0;
  const isEntry = names.map((name) => name !== undefined && found[next++] !== undefined);
  const stated = links.map((link, i) => statedBy(link, isEntry[i] ? 'entry' : 'entity'));
  await linkAllOnce(work, stated, false);
}

const statedBy = ({ arrival, write, relation, to }: StatedLink, target_type: 'entry' | 'entity') => ({
  input: {
    source: entryName(write.entity_path, write.key),
    source_type: 'entry' as const,
    relation,
    target: to,
    target_type,
    branch: MAIN_BRANCH,
    agent_id: arrival.sender,
    confidence: 1,
    shared: true,
  },
  caller: { ...arrival.caller, session_id: null },
  lineage: MAIN_LINEAGE,
});
