type BudgetKey = { account_id: string; day: string; kind: string };

/** The limit of names that one server counts separately per day. */
const MAX_NAMES = 1_000;
const MAX_PLACES = 10_000;
/** A name used this often within seconds is counted separately even beyond the limit. */
const OFTEN = 20;

/** Decides which names of a day get rows of their own, so that invented names cannot fill the store. */
export class NameBudget {
  readonly #names = new Map<string, Set<string>>();

  accept(place: BudgetKey, tallies: ReadonlyMap<string, { requests: number }>): (name: string) => boolean {
    const names = this.#namesAt(place);
    const all = [...tallies.values()].reduce((sum, { requests }) => sum + requests, 0);
    for (const [name, { requests }] of [...tallies].sort(([, a], [, b]) => b.requests - a.requests))
      if (names.size < MAX_NAMES || (requests >= OFTEN && requests * 100 >= all)) names.add(name);
    return (name) => names.has(name);
  }

  #namesAt({ account_id, day, kind }: BudgetKey): Set<string> {
    const id = `${account_id} ${kind} ${day}`;
    const known = this.#names.get(id);
    if (known) return known;
    const oldest = this.#names.keys().next().value;
    if (this.#names.size >= MAX_PLACES && oldest !== undefined) this.#names.delete(oldest);
    const names = new Set<string>();
    this.#names.set(id, names);
    return names;
  }
}
