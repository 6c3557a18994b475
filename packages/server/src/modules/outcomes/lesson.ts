import { Fault, type Input } from '@mem-service/contract';
import type { Lineage, Work } from '../../kernel/index.ts';
import { type EntrySet, isLive, mayAgentSee } from '../entries/index.ts';
import type { SessionReport } from '../traces/index.ts';
import type { OutcomeCauses } from './causes.ts';
import type { OutcomeAuthor, WeighedCauses } from './evidence.ts';
import type { Cause } from './rules/causes.ts';
import { contrastLessons, type Lesson } from './rules/lesson.ts';

type LessonFacts = {
  input: Input<'outcomes.commit'>;
  lineage: Lineage;
  author: OutcomeAuthor;
  causes: OutcomeCauses;
  weighed: WeighedCauses;
  report: SessionReport;
};

type WrittenLesson = { entity_path: string; key: string; version: number };

/** Writes the lessons of a success after failures beside the entries they are about. Returns the first. */
export async function writeLessons(
  work: Work,
  entries: EntrySet,
  { input, lineage, author, causes, weighed, report }: LessonFacts,
): Promise<WrittenLesson | null> {
  const { outcome_ref, outcome_type, branch } = input;
  const known = (list: readonly Cause[]) =>
    list.flatMap((cause) => {
      const { entity_path, key } = cause;
      const entry = weighed.entryOf.get(cause);
      return entry ? [{ entity_path, key, shared: entry.shared === 1 }] : [];
    });
  const tried = new Set(causes.attempts.flatMap((attempt) => attempt.action_indices));
  const lessons = contrastLessons({
    outcome_ref,
    outcome_type,
    attributes: report.header.attributes,
    causes: known(causes.causes),
    actions: report.actionNames.filter((_, i) => !tried.has(i)),
    attempts: causes.attempts.map((attempt) => ({
      ...attempt,
      causes: known(attempt.causes),
      actions: attempt.action_indices.flatMap((i) => report.actionNames[i] ?? []),
    })),
  });
  await entries.fetch(lessons.map(({ entity_path, key }) => ({ branch, entity_path, key, lineage })));
  const written = lessons.flatMap(
    (lesson) => writeLesson(work, entries, { lesson, branch, author, outcome_ref }) ?? [],
  );
  return written[0] ?? null;
}

type LessonWrite = { lesson: Lesson; branch: string; author: OutcomeAuthor; outcome_ref: string };

function writeLesson(work: Work, entries: EntrySet, { lesson, branch, author, outcome_ref }: LessonWrite) {
  const { entity_path, key, confidence, memory_type, shared } = lesson;
  const there = entries.get({ branch, entity_path, key });
  // Leaves a key that is private to another agent unchanged, and does not write private content where all can read it.
  if (isLive(there, work.now) && !mayAgentSee(there, author.agent_id)) return undefined;
  if (isLive(there, work.now) && !shared && there.agent_id !== author.agent_id) return undefined;
  const draft = {
    branch,
    entity_path,
    key,
    agent_id: author.agent_id,
    session_id: author.session_id,
    session: author.session,
    value: JSON.stringify(lesson.value),
    confidence,
    memory_type,
    shared,
  };
  try {
    const { entry } = entries.apply(draft, {
      event_type: 'write',
      details: { lesson_of: outcome_ref },
      despite_protection: true,
    });
    return { entity_path, key, version: entry.version };
  } catch (error) {
    // The outcome is kept, without a lesson, where the plan has no room for it.
    if (error instanceof Fault && error.code === 'over_limit') return undefined;
    throw error;
  }
}
