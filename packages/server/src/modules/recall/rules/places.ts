/** An entry and those that the same agent wrote just before and after it, by `seq`. */
export type WrittenWindow = {
  agent_id: string;
  seq: number;
  /** Nearest first. */
  before: readonly number[];
  after: readonly number[];
};

/** Between entries of which it is not known how far apart they are: too far to be neighbours. */
const GAP = 10;

/** Where entries stand in what their authors wrote, as far as windows show it. */
export function placesOf(windows: readonly WrittenWindow[]): Map<number, number> {
  const places = new Map<number, number>();
  const ends = new Map<string, { seq: number; place: number }>();
  for (const window of windows.toSorted((a, b) => a.seq - b.seq)) {
    const { agent_id, before, seq: own, after } = window;
    const seqs = [...before.toReversed(), own, ...after];
    let { seq: end, place } = ends.get(agent_id) ?? { seq: -1, place: 0 };
    if ((seqs[0] as number) > end) place += GAP;
    for (const seq of seqs) {
      if (seq <= end) continue;
      place++;
      end = seq;
      places.set(seq, place);
    }
    ends.set(agent_id, { seq: end, place });
  }
  return places;
}

export type WrittenIn = { agent_id: string; session_id: string | null; entity_path: string };

/** The sequence that a write belongs to: its session, or without one the writes of the same agent at the same path. */
export const sequenceOf = ({ agent_id, session_id, entity_path }: WrittenIn): string =>
  session_id === null ? `path\n${agent_id}\n${entity_path}` : `session\n${agent_id}\n${session_id}`;
