import type { AgentEraser, EntryEraser, EntryHead } from '../../kernel/index.ts';
import { findSharedCounts } from '../counts/index.ts';
import { deleteDigest, deleteDigestsOfAgent, findDigests, upsertDigests } from './queries.ts';
import { type DigestKey, type DigestRow, partsOf } from './rows.ts';
import { agentsOfSource, PATH_TYPES, sourceOf } from './rules/cited.ts';
import { agentScope } from './rules/due.ts';

/** A scope that loses entries: the names that count it, and how many of its shared entries go. */
type Losing = { key: DigestKey; names: readonly { kind: 'entity' | 'agent'; name: string }[]; lost: number };

/** The digests that may show one of the erased entries. */
function losingOf(heads: readonly EntryHead[]): Losing[] {
  const losing = new Map<string, Losing>();
  const lose = (key: DigestKey, names: Losing['names'], lost: number) => {
    const name = `${key.branch}\n${key.digest_type}\n${key.scope}`;
    const known = losing.get(name);
    if (known) known.lost += lost;
    else losing.set(name, { key, names, lost });
  };
  for (const { branch, entity_path, agent_id, shared, deleted } of heads) {
    const lost = shared === 1 && deleted === 0 ? 1 : 0;
    for (const digest_type of PATH_TYPES)
      lose({ branch, digest_type, scope: entity_path }, [{ kind: 'entity', name: entity_path }], lost);
    const { digest_type, scope } = agentScope(agent_id);
    const authors = digest_type === 'source' ? agentsOfSource(scope) : [scope];
    lose(
      { branch, digest_type, scope },
      authors.map((name) => ({ kind: 'agent', name })),
      lost,
    );
  }
  return [...losing.values()];
}

/**
 * Takes the numbers of erased entries out of digests at once; a digest whose scope has no entry left goes with its name. The
 * counts still include what is being erased.
 */
export const erasesEntries: EntryEraser = {
  async erase({ tx, account_id }, { branch, heads, ids }) {
    const losing = losingOf(heads);
    const keys = losing.map(({ key }) => key);
    const rows = await findDigests(tx, account_id, keys);
    const counts = await findSharedCounts(
      tx,
      { account_id, branch },
      losing.flatMap(({ names }) => names),
    );
    const erased = new Set(ids);
    const changed: DigestRow[] = [];
    let at = 0;
    for (const [i, { key, names, lost }] of losing.entries()) {
      const left = names.reduce((sum) => sum + (counts[at++]?.n ?? 0), 0) - lost;
      const row = rows[i];
      if (!row) continue;
      if (left <= 0) await deleteDigest(tx, account_id, key);
      else changed.push(withoutEntries(row, erased));
    }
    if (changed.length > 0) await tx.insertMany(upsertDigests, changed);
    return undefined;
  },
};

function withoutEntries(row: DigestRow, erased: ReadonlySet<number>): DigestRow {
  const { shown, reserve, added, outcomes } = partsOf(row);
  const left = (ids: readonly number[]) => ids.filter((id) => !erased.has(id));
  const parts = {
    shown: left(shown),
    reserve: left(reserve),
    ...(added ? { added: left(added) } : {}),
    outcomes: outcomes.flatMap(([seq, ids]) => {
      const those = left(ids);
      return those.length > 0 || ids.length === 0 ? [[seq, those]] : [];
    }),
  };
  return { ...row, parts: JSON.stringify(parts) };
}

/** Digests of others point at entries by number, and so lose the name with those. */
export const erasesAgent: AgentEraser = {
  async erase({ tx }, { account_id, agent_id }) {
    const source = sourceOf(agent_id);
    await deleteDigestsOfAgent(tx, account_id, source === undefined ? [agent_id] : [agent_id, source]);
  },
};
