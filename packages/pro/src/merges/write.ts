import {
  type EntryDraft,
  type EntryRow,
  EntrySet,
  type Lineage,
  pause,
  stringify,
  type Work,
} from '@mem-service/server/module';
import type { Content } from './load.ts';
import { kindOfChange, type PlannedEntry } from './plan.ts';

export type MergeAuthor = { agent_id: string; session_id: string | null; session: string };

type MergedWrites = {
  merge_id: string;
  commit_id: string;
  target: { branch: string; lineage: Lineage };
  author: MergeAuthor;
  /** Written by who merges, and now, instead of by the author of each entry. */
  isSquashed: boolean;
  entries: readonly PlannedEntry[];
};

export type MergeCounts = { added: number; modified: number; deleted: number };

const ENTRIES_PER_STEP = 250;

/** Writes what a plan says to the target, some entries at a time. */
export async function writeMerged(
  work: Work,
  merged: MergedWrites,
): Promise<{ written: EntryRow[]; counts: MergeCounts }> {
  const changes = merged.entries.filter((planned) => kindOfChange(planned, work.now) !== undefined);
  const counts: MergeCounts = { added: 0, modified: 0, deleted: 0 };
  const written: EntryRow[] = [];
  for (let at = 0; at < changes.length; at += ENTRIES_PER_STEP)
    await writeSome(work, changes.slice(at, at + ENTRIES_PER_STEP), { merged, written, counts });
  return { written, counts };
}

type WrittenSoFar = { merged: MergedWrites; written: EntryRow[]; counts: MergeCounts };

async function writeSome(work: Work, changes: readonly PlannedEntry[], { merged, written, counts }: WrittenSoFar) {
  const { target, merge_id, author } = merged;
  const set = await EntrySet.load(
    work,
    changes.map(({ at }) => ({ ...at, ...target })),
  );
  for (const planned of changes) {
    const draft = draftOf(planned, merged);
    await set.compare(draft);
    const { entry, unchanged } = set.apply(draft, {
      event_type: draft.value === undefined ? 'delete' : 'write',
      details: { merge_id, commit_id: merged.commit_id },
      actor_agent_id: author.agent_id,
      despite_protection: true,
    });
    if (!unchanged) {
      counts[kindOfChange(planned, work.now) as keyof MergeCounts]++;
      written.push(entry);
    }
    await pause();
  }
  await set.save();
  await work.waitForSent();
  await pause();
}

function draftOf(planned: PlannedEntry, { target, author, isSquashed, commit_id }: MergedWrites): EntryDraft {
  const { at, merged, contents } = planned;
  const place = { ...at, branch: target.branch, commit_id };
  if (merged.kind === 'source' && !contents.source)
    return { ...place, ...deleterOf(planned, author), value: undefined };
  if (merged.kind === 'deleted') return { ...place, ...author, value: undefined };
  if (merged.kind === 'source') {
    const source = contents.source as Content;
    const isOwn = isSquashed && source.shared === 1;
    return { ...place, ...contentOf(source), ...(isOwn ? author : originOf(source)) };
  }
  if (merged.kind !== 'merged') throw new Error(`a ${merged.kind} is not written`);
  const { state, text = stringify(merged.state.value) } = merged;
  const { source, target: there, base } = contents;
  const like = source ?? there ?? base;
  // What is private in it has one author: what two keep private is not merged.
  const owner = [source, there, base].find((one) => one?.shared === 0);
  const { memory_type, shared, ttl_at, confidence } = state;
  return {
    ...place,
    ...(shared || !owner ? author : { ...originOf(owner), written_at: undefined }),
    ...{ value: text, memory_type, shared, ttl_at, confidence },
    pattern_refs: stringify(state.pattern_refs),
    artifact_refs: stringify(state.artifact_refs),
    is_artifact: like?.is_artifact === 1,
  };
}

const contentOf = ({
  value,
  confidence,
  memory_type,
  shared,
  pattern_refs,
  artifact_refs,
  ttl_at,
  is_artifact,
}: Content) => ({
  ...{ value, confidence, memory_type, pattern_refs, artifact_refs, ttl_at },
  shared: shared === 1,
  is_artifact: is_artifact === 1,
});

/** Sessions are those of the source: the merge is no part of them. */
const originOf = ({ origin: { agent_id, session_id, written_at, event } }: Content) => ({
  agent_id,
  session_id,
  written_at,
  event,
});

/** Who deleted an entry in the source and when; who merges where it has only expired or was never there. */
function deleterOf({ rows: { source } }: PlannedEntry, author: MergeAuthor) {
  if (source?.deleted !== 1) return author;
  return { agent_id: source.agent_id, session_id: null, written_at: source.written_at };
}
