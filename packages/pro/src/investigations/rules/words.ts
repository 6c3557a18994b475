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

export function aboutSegments({ fails, segments }: { fails: FailedShare; segments: readonly SegmentFacts[] }): string {
  const all = `${share(fails)} runs failed.`;
  const worse = segments.filter(({ differs }) => differs === 'worse');
  if (worse.length === 0) return `${all} No segment fails more often than chance explains.`;
  const named = worse.map(
    ({ dimension, value, fails: own, rest }) => `${dimension} ${String(value)} (${share(own)}, others ${share(rest)})`,
  );
  return `${all} More often than others: ${named.join('; ')}.`;
}

type VersionName = { entity_path: string; key: string; version: number; written_by: string | null };
type SuspectFacts = VersionName & { with_it: FailedShare; without_it: FailedShare; explained_by: unknown };

const nameOf = ({ entity_path, key, version, written_by }: VersionName): string =>
  `${entity_path}/${key} in version ${version}${written_by === null ? '' : ` by ${written_by}`}`;

export function aboutSuspects({ suspects }: { suspects: readonly SuspectFacts[] }): string {
  const own = suspects.filter(({ explained_by }) => explained_by === null);
  if (own.length === 0)
    return suspects.length === 0
      ? 'No version of memory makes runs fail more often than chance explains.'
      : 'No version of memory makes runs fail by itself: runs that are alike otherwise fail as often without those that failing runs read more often.';
  const named = own.map(
    (one) => `${nameOf(one)} (${share(one.with_it)} runs that read it failed, ${share(one.without_it)} others)`,
  );
  return `Suspect memory, the surest first: ${named.join('; ')}.`;
}

export const aboutDivergence = ([failing, passing]: readonly string[], because: string | undefined): string =>
  because === undefined
    ? `${failing}, which failed, and ${passing}, which passed, took the same steps.`
    : `${failing}, which failed, and ${passing}, which passed, first differ: ${because.replace(/\.?$/, '.')}`;

type Failures = { failed: number; of: number };
export type MemoryChange = VersionName & {
  branch: string;
  written_at: string | null;
  failing_readers: number;
  passing_readers: number;
};
type ChangesFacts = { began_at: string; before: Failures; since: Failures; changes: readonly MemoryChange[] };

export function aboutChanges({ began_at, before, since, changes }: ChangesFacts): string {
  const began = `Failures began at ${began_at}: ${before.failed} of ${before.of} runs failed before, ${since.failed} of ${since.of} since.`;
  const named = changes
    .filter(({ failing_readers, passing_readers }) => failing_readers > passing_readers)
    .slice(0, 3)
    .map((one) => `${nameOf(one)} (read by ${one.failing_readers} failing and ${one.passing_readers} passing runs)`);
  if (named.length === 0) return `${began} Failing runs read no memory since that was new.`;
  return `${began} New to failing runs since: ${named.join('; ')}.`;
}

/** The answer without a model: what the steps found, each finding once. */
export const summaryOf = (findings: readonly string[]): string =>
  findings.length === 0 ? 'Nothing was looked at.' : [...new Set(findings)].join(' ');
