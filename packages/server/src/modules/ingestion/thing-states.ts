import type { Work } from '../../kernel/index.ts';
import * as queries from './queries.ts';
import { type Merged, mergeThing, type Stamp, type ThingState } from './rules/merge.ts';
import type { ArrivedWrite } from './rules/results.ts';

/** How far the clock of a sender may be ahead. */
const MAX_AHEAD_MS = 5 * 60_000;

type Decided = { value: unknown; text?: string | undefined; isLate: boolean };
type Before = { received_at: number; value: () => unknown };

const nameOf = ({ entity_path, key }: Pick<ArrivedWrite, 'entity_path' | 'key'>): string => `${entity_path}\n${key}`;

/** When each part of the things was said that some events are about. */
export class ThingStates {
  readonly #states = new Map<string, { row: Omit<queries.ThingRow, 'state'>; state: ThingState }>();
  readonly #changed = new Set<string>();

  static async load(work: Work, writes: readonly ArrivedWrite[]): Promise<ThingStates> {
    const things = new ThingStates();
    const { account_id, tx } = work;
    for (const write of writes) {
      const { entity_path, key } = write;
      if (write.occurred_at !== undefined)
        things.#states.set(nameOf(write), { row: { account_id, entity_path, key }, state: {} });
    }
    if (things.#states.size === 0) return things;
    const all = [...things.#states.values()];
    const keys = all.map(({ row }) => [account_id, row.entity_path, row.key]);
    const found = await tx.findMany<{ state: string }>(queries.findThings, keys);
    found.forEach((one, i) => {
      const thing = all[i];
      if (one && thing) thing.state = JSON.parse(one.state) as ThingState;
    });
    return things;
  }

  /** What an entry is to say after an event. */
  decide(write: ArrivedWrite, before: Before): Decided {
    const name = nameOf(write);
    const known = this.#states.get(name);
    if (write.occurred_at === undefined || !known) return { value: write.value, text: write.text, isLate: false };
    const { state } = known;
    const thing = {
      state,
      get value() {
        return before.value();
      },
    };
    const merged = mergeThing(thing, { ...write, stamp: stampOf(write, before) });
    if (merged.thing.state !== state) {
      known.state = merged.thing.state;
      this.#changed.add(name);
    }
    return asDecided(write, merged);
  }

  save(work: Work): void {
    if (this.#changed.size === 0) return;
    const rows = [...this.#changed].flatMap((name) => {
      const known = this.#states.get(name);
      return known ? [{ ...known.row, state: JSON.stringify(known.state) }] : [];
    });
    work.send(work.tx.insertMany(queries.upsertThings, rows));
  }
}

function asDecided(write: ArrivedWrite, { thing, isLate }: Merged): Decided {
  if (isLate) return { value: undefined, isLate };
  const { value } = thing;
  return { value, text: value === write.value ? write.text : undefined, isLate };
}

/** A clock that is far ahead counts as right. */
function stampOf({ occurred_at = 0, rank }: ArrivedWrite, { received_at }: Before): Stamp {
  return [occurred_at > received_at + MAX_AHEAD_MS ? received_at : occurred_at, rank];
}
