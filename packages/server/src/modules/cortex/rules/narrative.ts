import type { CitedEntry, CitedOutcome, DigestType } from './cited.ts';
import type { Sections } from './sections.ts';

/** A sentence, and the entries behind it. */
export type Sentence = { text: string; entries: readonly CitedEntry[] };

/** What the sentences of a digest are made of. All of it is visible to the reader. */
export type DescribedScope = {
  digest_type: DigestType;
  scope: string;
  entry_count: number;
  avg_confidence: number | null;
  agents: readonly string[];
  sections: Sections;
  outcomes: readonly CitedOutcome[];
};

const LABELS: readonly (readonly [number, string])[] = [
  [0.95, 'very high'],
  [0.8, 'high'],
  [0.6, 'moderate'],
  [0.4, 'low'],
];

export const confidenceLabel = (average: number): string =>
  LABELS.find(([least]) => average >= least)?.[1] ?? 'very low';

export const counted = (n: number, noun: string, plural = `${noun}s`): string => `${n} ${n === 1 ? noun : plural}`;

/** The day of a time, in UTC. */
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

export const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

type NameOf = (entry: CitedEntry) => string;

/** Within a digest of a path, keys suffice. */
const namesIn = ({ digest_type }: DescribedScope): NameOf =>
  digest_type === 'agent_brief' || digest_type === 'source'
    ? ({ entity_path, key }) => `${entity_path}/${key}`
    : ({ key }) => key;

const OPENINGS: Record<DigestType, (described: DescribedScope) => string> = {
  entity: ({ scope, entry_count, agents }) =>
    `${scope} holds ${counted(entry_count, 'entry', 'entries')} by ${counted(agents.length, 'agent')}`,
  agent_brief: ({ scope, entry_count }) => `${scope} wrote ${counted(entry_count, 'entry', 'entries')}`,
  source: ({ scope, entry_count }) => `${scope} sent ${counted(entry_count, 'entry', 'entries')}`,
  connection_map: ({ scope }) => `${scope} is connected`,
  trace_pattern: ({ scope, entry_count }) => `${counted(entry_count, 'success', 'successes')} went through ${scope}`,
};

/** The sentences about entries and outcomes. A sentence without an entry behind it is left out. */
export function narrate(described: DescribedScope): Sentence[] {
  const { sections, outcomes } = described;
  const nameOf = namesIn(described);
  const names = (entries: readonly CitedEntry[]) => listed(entries.map(nameOf));
  const { validated, contested, discredited, most_recalled, risks, top_keys, procedures } = sections;
  const sentences: Sentence[] = [opening(described, nameOf)];
  const say = (text: string, entries: readonly CitedEntry[]) => sentences.push({ text, entries });
  if (described.avg_confidence !== null)
    say(
      `Confidence is ${confidenceLabel(described.avg_confidence)} on average (${described.avg_confidence}).`,
      top_keys,
    );
  say(`Outcomes support ${names(validated)}.`, validated);
  say(`Outcomes disagree about ${names(contested)}.`, contested);
  for (const { entry, replaced_by } of discredited) {
    const instead = replaced_by.length === 0 ? '' : `; see ${names(replaced_by)} instead`;
    say(`Do not rely on ${nameOf(entry)}: it failed ${counted(entry.failure_count, 'time')}${instead}.`, [
      entry,
      ...replaced_by,
    ]);
  }
  say(`Read most: ${names(most_recalled)}.`, most_recalled);
  say(`Procedures: ${names(procedures)}.`, procedures);
  say(`Known risks: ${names(risks)}.`, risks);
  const last = outcomes[0];
  if (last) say(`The last outcome, on ${dayOf(last.committed_at)}, was ${last.outcome_type}.`, last.entries);
  return sentences.filter(({ entries }) => entries.length > 0).slice(0, MOST_SENTENCES);
}

const MOST_SENTENCES = 16;

function opening(described: DescribedScope, nameOf: NameOf): Sentence {
  const [newest] = described.sections.newest;
  const start = OPENINGS[described.digest_type](described);
  if (!newest) return { text: `${start}.`, entries: [] };
  const by = described.digest_type === 'entity' ? ` by ${newest.agent_id}` : '';
  return { text: `${start}; the newest is ${nameOf(newest)}${by}, on ${dayOf(newest.written_at)}.`, entries: [newest] };
}
