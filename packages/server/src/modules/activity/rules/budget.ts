type BudgetKey = { account_id: string; day: string; kind: string };

/** Names that are told apart in a day, from one server. */
const MAX_NAMES = 1_000;
const MAX_PLACES = 10_000;
/** What is asked this often within seconds is named even then. */
const OFTEN = 20;

/** Which names of a day have rows of their own, so that nobody fills the store by inventing names. */
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
