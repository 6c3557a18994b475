type FailedShare = { count: number; of: number };
type SegmentFacts = {
  dimension: string;
  value: unknown;
  fails: FailedShare;
  rest: FailedShare;
  differs: string | null;
};

type AskedRuns = {
  agent_id: string;
  judge_id?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
};

/** Where no run has a result, of so many that were looked at: none of them failed, and none went well. */
export function aboutNoResults({ agent_id, judge_id, since, until }: AskedRuns, runs: number): string {
  const judged = judge_id === undefined ? '' : ` judged by ${judge_id}`;
  const times = [since === undefined ? [] : `since ${since}`, until === undefined ? [] : `before ${until}`].flat();
  const which = `${judged}${times.length === 0 ? '' : ` ${times.join(' and ')}`}`;
  if (runs > 0) return `None of the runs of ${agent_id}${which} has a known result.`;
  return `${agent_id} has no runs${which} that you may see.`;
}

const share = ({ count, of }: FailedShare): string => `${count} of ${of}`;

const OF_ATTRIBUTE = 'attributes.';

/** What says no more than that a run failed, and so is no cause of it: its outcome, and errors of any kind. */
const RESTATES = /^(attributes\.)?(outcome|has_error|error|failed$|failure|exception|success$|succeeded$)/;

type CutSegment = Pick<SegmentFacts, 'dimension' | 'value' | 'fails'>;

/** Segments that may be a cause: not those that only restate the failure, and each once, however many names it has. */
export const causesAmong = <T extends CutSegment>(segments: readonly T[]): T[] =>
  segments.filter((one) => !RESTATES.test(one.dimension) && !isRepeated(one, segments));

/** An attribute that says what a run has anyway, such as its model. */
const isRepeated = ({ dimension, value, fails }: CutSegment, among: readonly CutSegment[]): boolean =>
  dimension.startsWith(OF_ATTRIBUTE) &&
  among.some(
    (other) =>
      other.dimension === dimension.slice(OF_ATTRIBUTE.length) &&
      other.value === value &&
      share(other.fails) === share(fails),
  );

const DIMENSIONS: Readonly<Record<string, (value: string) => string>> = {
  agent_id: (value) => `by ${value}`,
  branch: (value) => `on branch ${value}`,
  model: (value) => `with model ${value}`,
  tool_name: (value) => `with calls of ${value}`,
  path: (value) => `that read ${value}`,
  outcome_type: (value) => `that ended as ${value}`,
  has_error: (value) => (value === 'true' ? 'with errors' : 'without errors'),
  day: (value) => `on ${value}`,
  weekday: (value) => `on ${value}s`,
  hour_of_day: (value) => `from ${value}:00 to ${value}:59 UTC`,
};

/** The runs of a segment, as people call them. */
function runsOf({ dimension, value }: Pick<SegmentFacts, 'dimension' | 'value'>): string {
  if (dimension.startsWith(OF_ATTRIBUTE)) return `runs with ${dimension.slice(OF_ATTRIBUTE.length)} ${String(value)}`;
  return `runs ${DIMENSIONS[dimension]?.(String(value)) ?? `with ${dimension} ${String(value)}`}`;
}

type SegmentsFacts = { fails: FailedShare; segments: readonly SegmentFacts[] };

export function aboutSegments({ fails, segments }: SegmentsFacts, suspect?: VersionName): string {
  const all = `${share(fails)} runs failed.`;
  const worse = segments.filter(({ differs }) => differs === 'worse');
  if (worse.length === 0) return `${all} No kind of run fails more often than chance explains.`;
  // Who reads the suspect reads its path.
  const shown = worse.filter(({ dimension, value }) => dimension !== 'path' || value !== suspect?.entity_path);
  if (shown.length === 0) return all;
  const named = shown.map(
    (one) => `${runsOf(one)} (${share(one.fails)} failed, against ${share(one.rest)} of the others)`,
  );
  return `${all} These fail more often than others: ${named.join('; ')}.`;
}

export type VersionName = { entity_path: string; key: string; version: number; written_by: string | null };
export type SuspectFacts = VersionName & {
  newest_version: number;
  deleted?: boolean;
  written_at: string | null;
  with_it: FailedShare;
  explained_by: unknown;
};
type AttributionFacts = { suspects: readonly SuspectFacts[]; failed: number; passed: number };

const versionOf = ({ entity_path, key, version }: VersionName): string => `version ${version} of ${entity_path}/${key}`;

const authoredVersion = (one: VersionName): string =>
  `${versionOf(one)}${one.written_by === null ? '' : `, written by ${one.written_by}`}`;

const isSame = (one: VersionName, other: VersionName | undefined): boolean =>
  other !== undefined && versionOf(one) === versionOf(other);

/** Those that nothing else explains, the surest first. */
export const leadingOf = <T extends Pick<SuspectFacts, 'explained_by'>>(suspects: readonly T[]): T[] =>
  suspects.filter(({ explained_by }) => explained_by === null);

export function aboutSuspects({ suspects, failed, passed }: AttributionFacts): string {
  const [first, ...others] = leadingOf(suspects);
  if (!first)
    return suspects.length === 0
      ? 'No memory is suspect: with no version of it do runs fail more often than chance explains.'
      : 'No memory is suspect by itself: runs that are alike otherwise fail as often without the versions that failing runs read more often.';
  const readers = ({ with_it: { count, of } }: SuspectFacts) =>
    `${count} of ${failed} failing runs read it, against ${of - count} of ${passed} others`;
  const written =
    first.written_at === null ? '' : `${first.written_by === null ? ', written' : ''} on ${first.written_at}`;
  const found = `The suspect is ${authoredVersion(first)}${written}: ${readers(first)}.${sinceThen(first)}`;
  if (others.length === 0) return found;
  const named = others.map((one) => `${authoredVersion(one)} (${readers(one)})`);
  return `${found} Also suspect, though less surely: ${named.join('; ')}.`;
}

function sinceThen({ version, newest_version, deleted }: SuspectFacts): string {
  if (deleted) return ' The entry has been deleted since.';
  return newest_version > version
    ? ` The entry has been rewritten since, and is now at version ${newest_version}.`
    : '';
}

export const aboutDivergence = ([failing, passing]: readonly string[], because: string | undefined): string =>
  because === undefined
    ? `Run ${failing}, which failed, and run ${passing}, which passed, took the same steps.`
    : `Run ${failing}, which failed, and run ${passing}, which passed, first differ: ${because.replace(/\.?$/, '.')}`;

type Failures = { failed: number; of: number };
export type MemoryChange = VersionName & {
  branch: string;
  written_at: string | null;
  failing_readers: number;
  passing_readers: number;
};
type ChangesFacts = { began_at: string; before: Failures; since: Failures; changes: readonly MemoryChange[] };

export function aboutChanges({ began_at, before, since, changes }: ChangesFacts, suspect?: VersionName): string {
  const began = `Failures began on ${began_at}: ${before.failed} of ${before.of} runs failed before, ${since.failed} of ${since.of} since.`;
  const more = changes.filter(({ failing_readers, passing_readers }) => failing_readers > passing_readers);
  const isNew = more.some((one) => isSame(one, suspect));
  const named = more
    .filter((one) => !isSame(one, suspect))
    .slice(0, MAX_CHANGES_NAMED)
    .map(
      (one) =>
        `${authoredVersion(one)} (read by ${one.failing_readers} failing and ${one.passing_readers} passing runs)`,
    );
  const found = isNew ? `${began} No run had read the suspect before.` : began;
  if (named.length > 0)
    return `${found} ${isNew ? 'Nor had any run read' : 'Since then failing runs read what no run had read before:'} ${named.join('; ')}.`;
  return isNew ? found : `${found} Since then failing runs have read no memory that was new.`;
}

/** Nobody reads on further. */
const MAX_CHANGES_NAMED = 3;

/** A step in the answer. */
export type AnsweredStep = {
  step: string;
  found: string;
  /** Memory that the step finds suspect. */
  suspect?: VersionName | undefined;
  /** What it found besides a suspect that the answer begins with. */
  besides?: (suspect: VersionName | undefined) => string;
};

/** What is to blame comes first, then what supports it. */
const ORDER = ['attribution', 'segments', 'divergence', 'memory_changes'];

/** The answer without a model: the suspect, then what else the steps found, each finding once. */
export function summaryOf(steps: readonly AnsweredStep[]): string {
  if (steps.length === 0) return 'Nothing was looked at.';
  const inOrder = steps.toSorted((one, other) => ORDER.indexOf(one.step) - ORDER.indexOf(other.step));
  const suspect = inOrder.find((one) => one.suspect !== undefined)?.suspect;
  return [...new Set(inOrder.map(({ found, besides }) => besides?.(suspect) ?? found))].join(' ');
}
