import type { patternShapes } from '@mem-service/server/module';

type PatternFigures = Readonly<Record<string, number>>;
type Described = { pattern_type: string; figures: PatternFigures };

const many = (n: number | undefined, one: string, more = `${one}s`): string =>
  `${(n ?? 0).toLocaleString('en-US')} ${n === 1 ? one : more}`;

const percent = (share: number | undefined): string => `${Math.round((share ?? 0) * 100)} %`;

const SENTENCES: Readonly<Record<patternShapes.PatternType, (figures: PatternFigures) => string>> = {
  recurring_failure: ({ failures, outcomes, days }) =>
    `${many(failures, 'failure')} among the newest ${many(outcomes, 'outcome')} of the last ${many(days, 'day')} that rested on what is written here.`,
  hot_entity: ({ writes, weekly_before, agents, days }) =>
    `${many(writes, 'write')} by ${many(agents, 'agent')} within ${many(days, 'day')}; before that ${weekly_before ?? 0} in a week.`,
  stale_cluster: ({ entries, days_untouched }) =>
    `None of ${many(entries, 'entry', 'entries')} was written or confirmed for ${many(days_untouched, 'day')}, and sessions still read them.`,
  confidence_drift: ({ entries, drop, lowest, days }) =>
    `Confidence in ${many(entries, 'entry', 'entries')} fell by up to ${drop ?? 0} within ${many(days, 'day')}, down to ${lowest ?? 0}.`,
  knowledge_conflict: ({ conflicts, entries }) =>
    `Agents state different things in ${many(entries, 'entry', 'entries')}: ${many(conflicts, 'conflict')}.`,
  redundant_writes: ({ superfluous, entries }) =>
    `${many(entries, 'entry', 'entries')} say what fewer could say: ${superfluous ?? 0} could go.`,
  single_point_of_knowledge: ({ entries, share, readers }) =>
    `One agent wrote ${percent(share)} of ${many(entries, 'entry', 'entries')} that ${many(readers, 'other agent')} read.`,
  passive_consumer: ({ reads, active_days, days }) =>
    `Read ${many(reads, 'entry', 'entries')} of others on ${many(active_days, 'day')} of the last ${days ?? 0}, and contributed nothing.`,
  unreviewed_changes: ({ changes, reviewed }) =>
    reviewed
      ? `A pull request was changed after its last review: ${many(changes, 'changed entry', 'changed entries')} in all.`
      : `A pull request of ${many(changes, 'changed entry', 'changed entries')} waits for its first review.`,
  orphaned_branch: ({ changes }) =>
    `A branch with ${many(changes, 'changed entry', 'changed entries')} that nobody goes on with, and no pull request.`,
  stale_knowledge: ({ entries, newer_entries, stale_days }) =>
    `${many(entries, 'entry', 'entries')} that agents read, older than ${many(stale_days, 'day')}, beside ${many(newer_entries, 'newer one')}.`,
};

/** What was found, in a sentence without names. */
export const describePattern = ({ pattern_type, figures }: Described): string =>
  SENTENCES[pattern_type as patternShapes.PatternType](figures);
