import type { DayTally, SaveActivity } from '../activity.ts';
import type { AccountNotes, FlushNotes } from '../note-buffer.ts';
import type { Replica } from './replica.ts';

/** The most notes of one message. */
const MAX_NOTES = 2_000;

export type HandedNotes = { account_id: string; notes: AccountNotes };

/** Notes of a server that only reads go to one that writes; where there is none, they are counted. */
export const handNotes =
  (replica: Replica, written: (accountId: string, isWritten: boolean) => void): FlushNotes =>
  async (account_id, notes) => {
    const { link } = replica;
    if (!link) return missNotes(replica, notes);
    try {
      for (const part of partsOf(notes)) {
        const item: HandedNotes = { account_id, notes: part };
        await link.hand('notes', item);
      }
      written(account_id, true);
    } catch (error) {
      written(account_id, false);
      throw error;
    }
  };

function missNotes(replica: Replica, { sessions, recalls }: AccountNotes): void {
  replica.miss(
    'notes',
    sessions.reduce((sum, { notes }) => sum + notes.length, 0),
  );
  replica.miss(
    'recalls',
    recalls.reduce((sum, { times }) => sum + times, 0),
  );
}

/** In parts of a size that a server takes. */
function* partsOf({ sessions, recalls }: AccountNotes): Generator<AccountNotes> {
  let part: AccountNotes['sessions'][number][] = [];
  let room = MAX_NOTES;
  for (const { notes, ...by } of sessions)
    for (let from = 0; from < notes.length; ) {
      const some = notes.slice(from, from + room);
      part.push({ ...by, notes: some });
      from += some.length;
      room -= some.length;
      if (room > 0) continue;
      yield { sessions: part, recalls: [] };
      part = [];
      room = MAX_NOTES;
    }
  if (part.length + recalls.length > 0) yield { sessions: part, recalls };
}

/** Maps as lists: a tally travels as JSON. */
type ListedTally = Omit<DayTally, TallyMap> & { [M in TallyMap]: [...Parameters<DayTally[M]['set']>][] };
type TallyMap = 'agents' | 'paths' | 'minutes' | 'latencies';

export type HandedTally = { account_id: string; tally: ListedTally };

/** Counts that cannot be handed over are lost, as those that cannot be written are. */
export const handActivity =
  (replica: Replica): SaveActivity =>
  async (account_id, { agents, paths, minutes, latencies, ...tally }) => {
    const maps = { agents: [...agents], paths: [...paths], minutes: [...minutes], latencies: [...latencies] };
    const item: HandedTally = { account_id, tally: { ...maps, ...tally } as ListedTally };
    const miss = () => replica.miss('requests', tally.total.requests);
    if (!replica.link) return miss();
    await replica.link.hand('activity', item).catch(miss);
  };

export const toDayTally = ({ agents, paths, minutes, latencies, ...tally }: ListedTally): DayTally => ({
  agents: new Map(agents),
  paths: new Map(paths),
  minutes: new Map(minutes),
  latencies: new Map(latencies),
  ...tally,
});
