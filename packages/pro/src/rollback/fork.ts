import {
  branchOf,
  type ChangedHead,
  changed,
  type EntryRow,
  EntrySet,
  EVERYONE,
  entityPathProblem,
  exclusive,
  Fault,
  findEntriesIn,
  type Handler,
  hashedBy,
  invalidInput,
  isLive,
  isQuarantined,
  isSender,
  type Lineage,
  listAuthoredHeads,
  MAX_MOVED_BYTES,
  MAX_MOVED_ENTRIES,
  matchesGlob,
  parseGlob,
  pause,
  sessionName,
  unchanged,
  viewInWork,
  type Work,
  writes,
} from '@mem-service/server/module';
import { contentOf } from './draft-back.ts';

type Forking = {
  lineage: Lineage;
  agent_id: string;
  target_agent_id: string;
  into: string;
  isChosen: (path: string) => boolean;
};

type Copied = { copied: number; skipped: number; bytes: number };

const run = writes<'fork.run'>(async (work, { input, caller, lineage }) => {
  await work.locked;
  const { agent_id = caller.agent_id, session_id = caller.session_id, target_agent_id } = input;
  const { into = `forks/${target_agent_id}` } = input;
  if (agent_id === target_agent_id)
    throw invalidInput([{ path: 'target_agent_id', message: 'is the agent whose memory is copied' }]);
  if (isSender(target_agent_id))
    throw invalidInput([{ path: 'target_agent_id', message: 'is an agent of events from outside' }]);
  const glob = input.entity_path === undefined ? undefined : parseGlob(input.entity_path);
  const isChosen = (path: string) => glob === undefined || matchesGlob(glob, path);
  const { copied, skipped } = await copyAll(work, { lineage, agent_id, target_agent_id, into, isChosen });
  const branch = branchOf({ lineage });
  const answer = { agent_id, target_agent_id, branch, into, entries_copied: copied, entries_skipped: skipped };
  if (copied === 0) return unchanged(answer);
  work.emit({
    event_type: 'fork',
    agent_id,
    branch,
    entity_path: null,
    key: null,
    version: null,
    visible_to: EVERYONE,
    details: { target_agent_id, entries: copied, into },
    session: sessionName(session_id, caller),
  });
  return changed(answer, { resource: target_agent_id, ...hashedBy(answer) });
});

const ENTRIES_PER_STEP = 100;

async function copyAll(work: Work, part: Forking): Promise<Copied> {
  const total = { copied: 0, skipped: 0, bytes: 0 };
  const view = viewInWork(work, part);
  let after = 0;
  for (;;) {
    const { agent_id } = part;
    const heads = await listAuthoredHeads(work.tx, view, { agent_id, after, limit: ENTRIES_PER_STEP });
    const chosen = heads.filter(({ entity_path }) => part.isChosen(entity_path));
    if (chosen.length > 0) await copySome(work, await findEntriesIn(work.tx, view, chosen), { ...part, total });
    if (total.copied > MAX_MOVED_ENTRIES || total.bytes > MAX_MOVED_BYTES) throw tooMany();
    if (heads.length < ENTRIES_PER_STEP) return total;
    after = (heads.at(-1) as ChangedHead).seq;
    await pause();
  }
}

const tooMany = () =>
  new Fault('conflict', 'the agent wrote too much for one step: narrow it by entity_path', {
    max_entries: MAX_MOVED_ENTRIES,
    max_bytes: MAX_MOVED_BYTES,
  });

async function copySome(work: Work, rows: readonly EntryRow[], part: Forking & { total: Copied }): Promise<void> {
  const { lineage, agent_id, target_agent_id, into, total } = part;
  const branch = branchOf({ lineage });
  const places = rows.map(({ entity_path, key }) => ({
    branch,
    entity_path: pathBelow(into, entity_path),
    key,
    lineage,
  }));
  const entries = await EntrySet.load(work, places);
  for (const [i, row] of rows.entries()) {
    await pause();
    const { entity_path, key } = places[i] as (typeof places)[number];
    const there = entries.get({ branch, entity_path, key });
    if (isLive(there, work.now) || isQuarantined(there)) {
      total.skipped++;
      continue;
    }
    const { event: _, ...content } = contentOf(row);
    const draft = { ...content, branch, entity_path, key, agent_id: target_agent_id, session_id: null };
    const details = { forked_from: row.entity_path };
    entries.apply(draft, { event_type: 'write', details, actor_agent_id: agent_id });
    total.copied++;
    total.bytes += row.document.length;
  }
  await entries.save();
  await work.waitForSent();
}

function pathBelow(into: string, path: string): string {
  const below = `${into}/${path}`;
  const problem = entityPathProblem(below);
  if (problem) throw invalidInput([{ path: 'into', message: `gives a path that ${problem}` }]);
  return below;
}

export const runFork: Handler<'fork.run'> = exclusive(run);
