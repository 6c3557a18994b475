import type { Observation, RecalledEntry, Recorder } from '../../kernel/index.ts';
import { addRecalls } from './queries.ts';
import { recordSessions } from './record-sessions.ts';

/** A row is written anew for each entry that was recalled, so under load the counts come after the reads. */
const RECALLS_PER_FLUSH = 50;

type Place = { branch: string; entity_path: string; key: string };
type Recall = RecalledEntry & { times: number };

/** Keeps what callers saw in their sessions, and how often entries were recalled. */
export const record: Recorder = async (work, { observations, isLast }) => {
  await recordSessions(work, observations);
  const recalls = recallsOf(observations);
  const due = isLast ? recalls : recalls.slice(0, RECALLS_PER_FLUSH);
  // In the order of the table, so that neighbours share a page.
  due.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  for (const { branch, entity_path, key, times } of due)
    work.send(addRecalls(work.tx, { account_id: work.account_id, branch, entity_path, key }, times));
  await work.settle();
  return isLast ? [] : recalls.slice(RECALLS_PER_FLUSH).map((recall) => ({ ...recall, ...NOBODY, at: work.now }));
};

/** What is put off belongs to no session any more, so that none waits for it. */
const NOBODY = { agent_id: '', session: '' };

/** Each entry once. A row is written anew for each, whoever recalled it. */
function recallsOf(observations: readonly Observation[]): Recall[] {
  const recalls = new Map<string, Recall>();
  for (const one of observations) {
    const times = timesOf(one);
    if (times === 0) continue;
    const { branch, entity_path, key } = one as Observation & Place;
    const known = recalls.get(nameOf({ branch, entity_path, key }));
    if (known) known.times += times;
    else recalls.set(nameOf({ branch, entity_path, key }), { kind: 'recall', branch, entity_path, key, times });
  }
  return [...recalls.values()];
}

function timesOf(one: Observation): number {
  if (one.kind === 'recall') return one.times ?? 1;
  return one.kind === 'read' && one.is_current ? 1 : 0;
}

const nameOf = ({ branch, entity_path, key }: Place) => `${branch}\n${entity_path}\n${key}`;
