import type { Work } from '../../kernel/index.ts';
import type { Arrival } from './arrivals.ts';
import { addCounts, type CountsRow } from './queries.ts';

type ConnectorTally = Omit<CountsRow, 'account_id'>;

/** What the connectors of a transaction received, to be added to their counts. */
export class ConnectorTallies {
  readonly #tallies = new Map<string, ConnectorTally>();

  count({ connector, event_type, failure, isAgain }: Arrival, now: number): void {
    if (connector === undefined) return;
    const tally = this.#of(connector);
    if (failure) Object.assign(tally, { failures: tally.failures + 1, last_failure_at: now });
    if (!isAgain)
      Object.assign(tally, { received: tally.received + 1, last_event_type: event_type, last_event_at: now });
  }

  countAgain({ connector }: Arrival): void {
    if (connector !== undefined) this.#of(connector).duplicates++;
  }

  save(work: Work): void {
    const { account_id } = work;
    if (this.#tallies.size === 0) return;
    const rows = [...this.#tallies.values()].map((tally) => ({ account_id, ...tally }));
    work.send(work.tx.insertMany(addCounts, rows));
  }

  #of(connector: string): ConnectorTally {
    let tally = this.#tallies.get(connector);
    if (!tally) {
      tally = {
        connector,
        received: 0,
        duplicates: 0,
        failures: 0,
        last_event_type: null,
        last_event_at: null,
        last_failure_at: null,
      };
      this.#tallies.set(connector, tally);
    }
    return tally;
  }
}
