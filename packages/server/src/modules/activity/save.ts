import { type CallTally, type DayTally, dayOf, OTHERS, type Work } from '../../kernel/index.ts';
import { addMinutes, addUsage, deleteMinutes, type UsageKind } from './queries.ts';
import { NameBudget } from './rules/budget.ts';

const DAY_MS = 86_400_000;
const NONE: CallTally = { requests: 0, reads: 0, writes: 0, ops: 0, errors: 0 };

/** Adds new counts to the stored ones. The busiest minute is known once all servers have written theirs. */
export function createActivitySaver(): (work: Work, tally: DayTally) => Promise<void> {
  const budget = new NameBudget();
  return async (work, { day, total, agents, paths, minutes, latencies }) => {
    const { account_id, tx } = work;
    const rowOf = (kind: UsageKind, name: string, { peak = 0, ...tally }: CallTally & { peak?: number }) => ({
      ...{ account_id, kind, day, name, peak },
      ...tally,
    });
    const counted = (kind: UsageKind, numbers: ReadonlyMap<number, number>) =>
      [...numbers].map(([no, requests]) => rowOf(kind, String(no), { ...NONE, requests }));
    const named = (kind: 'agent' | 'path', tallies: ReadonlyMap<string, CallTally>) => {
      const isNamed = budget.accept({ account_id, day, kind }, tallies);
      return [...fold(tallies, isNamed)].map(([name, tally]) => rowOf(kind, name, tally));
    };
    const reached = await tx.insertMany<{ requests: number }>(addMinutes, counted('minute', minutes));
    const peak = Math.max(0, ...reached.map(({ requests }) => requests));
    const rows = [
      rowOf('all', '', { ...total, peak }),
      ...named('agent', agents),
      ...named('path', paths),
      ...counted('latency', latencies),
    ];
    await tx.insertMany(addUsage, rows);
    await deleteMinutes(tx, account_id, dayOf(Date.parse(day) - DAY_MS));
  };
}

function fold(tallies: ReadonlyMap<string, CallTally>, isNamed: (name: string) => boolean): Map<string, CallTally> {
  const folded = new Map<string, CallTally>();
  for (const [name, tally] of tallies) {
    const shown = isNamed(name) ? name : OTHERS;
    const known = folded.get(shown) ?? NONE;
    folded.set(shown, {
      requests: known.requests + tally.requests,
      reads: known.reads + tally.reads,
      writes: known.writes + tally.writes,
      ops: known.ops + tally.ops,
      errors: known.errors + tally.errors,
    });
  }
  return folded;
}
