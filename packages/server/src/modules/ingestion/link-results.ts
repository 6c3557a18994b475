import { entryName, MAIN_BRANCH, MAIN_LINEAGE, splitEntryName, type Work } from '../../kernel/index.ts';
import { findNamedNumbers } from '../entries/index.ts';
import { linkAllOnce } from '../graph/index.ts';
import type { Arrival } from './arrivals.ts';
import type { ArrivedWrite } from './rules/results.ts';

export type Linked = { arrival: Arrival; write: ArrivedWrite };

/** Adds the edges that results name: to an entry where there is one of that name, and else to the name. */
export async function linkResults(work: Work, linked: readonly Linked[]): Promise<void> {
  const links = linked.flatMap(({ arrival, write }) => write.links.map((link) => ({ arrival, write, link })));
  if (links.length === 0) return;
  const names = links.map(({ link }) => splitEntryName(link.to));
  const known = await findNamedNumbers(
    work.tx,
    work.account_id,
    names.flatMap((name) => (name ? [{ branch: MAIN_BRANCH, ...name }] : [])),
  );
  let next = 0;
  const stated = links.map(({ arrival, write, link }, i) => {
    const isEntry = names[i] !== undefined && known[next++] !== undefined;
    return {
      input: {
        source: entryName(write.entity_path, write.key),
        source_type: 'entry' as const,
        relation: link.relation,
        target: link.to,
        target_type: isEntry ? ('entry' as const) : ('entity' as const),
        branch: MAIN_BRANCH,
        agent_id: arrival.sender,
        confidence: 1,
        shared: true,
      },
      caller: { ...arrival.caller, session_id: null },
      lineage: MAIN_LINEAGE,
    };
  });
  await linkAllOnce(work, stated, false);
}
