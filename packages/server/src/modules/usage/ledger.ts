import type { Charge, Work } from '../../kernel/index.ts';
import * as queries from './queries.ts';
import { periodOf } from './rules/period.ts';

export type CounterReading = { account_id: string; period: string; counter: queries.UsageCounter };

/** Writes ledger and counter in the transaction of the charged work: so they always agree. */
export function writeLedger(work: Work, charges: readonly Charge[], committed: (seen: CounterReading) => void): void {
  const { account_id, tx, now: at } = work;
  const { name: current } = periodOf(at);
  for (const period of new Set(charges.map((charge) => charge.period ?? current))) {
    const place = { account_id, period };
    const lines = joinedCharges(charges.filter((charge) => (charge.period ?? current) === period));
    const ops = lines.reduce((sum, line) => sum + line.ops, 0);
    const counted = queries.addUsage(tx, place, { lines: lines.length, ops });
    work.send(counted.then((counter) => work.afterCommit(() => committed({ account_id, period, counter }))));
    lines.forEach((line, i) => {
      work.send(queries.insertLine(tx, place, { line: { ...line, at }, back: lines.length - 1 - i }));
    });
  }
}

/** The writes of a transaction become one line. */
function joinedCharges(charges: readonly Charge[]): Charge[] {
  const writes = charges.filter((charge) => charge.class === 'write');
  const others = charges.filter((charge) => charge.class !== 'write');
  if (writes.length < 2) return [...others, ...writes];
  const sum = (of: 'ops' | 'requests') => writes.reduce((total, write) => total + write[of], 0);
  return [...others, { class: 'write', ops: sum('ops'), requests: sum('requests') }];
}
