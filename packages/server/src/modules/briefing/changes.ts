import type { ReadContext } from '../../kernel/index.ts';
import type { AskedBriefing } from './asked.ts';
import { type BriefedRow, findBriefed, listNewest, listNewestAt } from './queries.ts';

const SHOWN = 10;
/** Looked at beyond those shown: what the agent wrote itself is left out. */
const SPARE = 20;
/** The newest changes of the branch that are looked at for those of a path. */
const NEWEST = 1_000;
/** Entries of a path that are looked at, in the order of their names, where the newest changes lie elsewhere. */
const AT_PATH = 300;

/** What changed since the last visit of the agent, newest first, without what it wrote itself until then. */
export async function findChanges(context: ReadContext, asked: AskedBriefing): Promise<BriefedRow[]> {
  const { scan, view } = context;
  const { paths, since, lastVisit, agent_id } = asked;
  const window = { after: since, shown: SHOWN + SPARE };
  const [newest, atPath] = await Promise.all([
    listNewest(scan, view, { ...window, most: NEWEST, paths }),
    paths === undefined ? [] : listNewestAt(scan, view, { ...window, most: AT_PATH, paths }),
  ]);
  const ids = [...new Set([...newest, ...atPath].map(({ entry_id }) => entry_id))];
  if (ids.length === 0) return [];
  const found = await findBriefed(scan, view, { ids, including: 'visible' });
  const rows = [...new Set(found.values())];
  const isKnown = (row: BriefedRow) => row.agent_id === agent_id && row.seq <= (lastVisit?.seq ?? 0);
  const isOfFirstVisit = since === 0;
  const isGone = (row: BriefedRow) => (row.deleted === 1 ? isOfFirstVisit : isExpired(row, view.at));
  return rows
    .filter((row) => row.seq > since && !isKnown(row) && !isGone(row))
    .sort((a, b) => b.seq - a.seq)
    .slice(0, SHOWN);
}

/** Until the sweep deletes it, its value is still there. */
const isExpired = ({ ttl_at }: BriefedRow, at: number): boolean => ttl_at !== null && ttl_at <= at;
