import {
  type ChangedHead,
  Fault,
  type Glob,
  type Lineage,
  listChangedHeads,
  MAX_MOVED_ENTRIES,
  matchesGlob,
  pause,
  type Work,
} from '@mem-service/server/module';

export type RestoredName = { entity_path: string; key: string };

export type Selection = {
  now: Lineage;
  past: Lineage;
  glob: Glob | undefined;
  /** Only what these agents wrote since. */
  agent_ids: readonly string[] | undefined;
};

/** Heads that are looked at to find those at some paths. */
const MAX_LOOKED_AT = 100_000;
const HEADS_PER_STATEMENT = 1000;

/** The names of entries that may differ between two states of a branch, in the order in which they were changed last. */
export async function findCandidates(work: Work, selection: Selection): Promise<RestoredName[]> {
  const { glob, agent_ids } = selection;
  const found = new Map<string, RestoredName>();
  let looked = 0;
  for (const { branch, after } of rangesOf(selection))
    for (const agent_id of agent_ids ?? [undefined]) {
      let from = after;
      for (;;) {
        const range = { account_id: work.account_id, branch, after: from, limit: HEADS_PER_STATEMENT };
        const heads = await listChangedHeads(work.tx, agent_id === undefined ? range : { ...range, agent_id });
        collect(found, heads, glob);
        looked += heads.length;
        if (found.size > MAX_MOVED_ENTRIES || looked > MAX_LOOKED_AT) throw tooManyChanges();
        if (heads.length < HEADS_PER_STATEMENT) break;
        from = (heads.at(-1) as ChangedHead).seq;
        await pause();
      }
    }
  return [...found.values()];
}

function collect(found: Map<string, RestoredName>, heads: readonly ChangedHead[], glob: Glob | undefined): void {
  for (const { entity_path, key } of heads)
    if (!glob || matchesGlob(glob, entity_path)) found.set(`${entity_path}\n${key}`, { entity_path, key });
}

/** The parts of the log in which the branch itself changed, or what it inherits. */
function rangesOf({ now, past, agent_ids }: Selection): { branch: string; after: number }[] {
  const [own, ...inherited] = now.map(({ branch, up_to_seq }) => {
    const before = past.find((span) => span.branch === branch)?.up_to_seq ?? 0;
    return { branch, after: Math.min(before, up_to_seq ?? before), isSame: before === up_to_seq };
  });
  if (!own) return [];
  const moved = agent_ids ? [] : inherited.filter(({ isSame }) => !isSame);
  return [own, ...moved];
}

const tooManyChanges = () =>
  new Fault(
    'conflict',
    `more than ${MAX_MOVED_ENTRIES} entries have changed since, or ${MAX_LOOKED_AT} were looked at: narrow it by entity_path, written_by or source`,
    { max_entries: MAX_MOVED_ENTRIES },
  );
