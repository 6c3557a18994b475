import { type Input, invalidInput, traceShapes } from '@mem-service/contract';
import type { NamedHit, OpenSession, SessionReadRow } from '../sessions/index.ts';
import { redactOrNull } from '../traces/index.ts';
import type { Cause } from './rules/causes.ts';
import { type CauseProblem, parseGivenCauses } from './rules/given-causes.ts';
import type { OutcomeType } from './rules/outcome-types.ts';
import { usedCauses } from './rules/used-causes.ts';

export type OutcomeInput = Input<'outcomes.commit'>;

export type AttemptCauses = {
  outcome_type: OutcomeType;
  causes: Cause[];
  summary: string | null;
  /** Positions in the list of actions. */
  action_indices: number[];
};

/** The causes of the end, and of each attempt that failed before it. */
export type OutcomeCauses = { attempts: AttemptCauses[]; causes: Cause[] };

const toCause = ({ entity_path, key, version }: SessionReadRow): Cause => ({ entity_path, key, version });

/** What a session read counts on the branch where it was read, and on no other. */
export const readHere = <S extends Pick<OpenSession, 'reads'>>(session: S, { branch }: OutcomeInput): S => ({
  ...session,
  reads: session.reads.filter((read) => read.branch === branch),
});

export type ParsedCauses = ReturnType<typeof parseGivenCauses>;

/** The causes that the caller names of the end. */
export const namedCauses = ({ causal_entry_keys, causal_entry_versions }: OutcomeInput): ParsedCauses =>
  parseGivenCauses({ path: '', keys: causal_entry_keys ?? [], versions: causal_entry_versions ?? {} });

/**
 * The causes that the caller names; where it names none, what its session read. `shown` is what its queries showed it, which
 * counts only if it is said to have been used; `last` is the reference of its last outcome, for a refusal.
 */
export function causesOf(
  input: OutcomeInput,
  session: OpenSession,
  { named, shown, last }: { named: ParsedCauses; shown: readonly NamedHit[]; last: string | undefined },
): OutcomeCauses {
  const problems: CauseProblem[] = [];
  const checked = (found: ParsedCauses) => {
    problems.push(...found.problems);
    return found.causes;
  };
  const given = [...(input.session_metadata.attempts ?? []), ...input.attempts];
  if (given.length > traceShapes.MAX_ATTEMPTS)
    problems.push({ path: 'attempts', message: `holds ${given.length}, more than ${traceShapes.MAX_ATTEMPTS}` });
  const count = given.reduce((sum, { causal_entry_keys: keys = [] }) => sum + keys.length, 0);
  if (count > traceShapes.MAX_CAUSES_OF_ATTEMPTS)
    throw invalidInput([
      { path: 'attempts', message: `name ${count} entries, more than ${traceShapes.MAX_CAUSES_OF_ATTEMPTS} in all` },
    ]);
  const attempts =
    given.length > 0
      ? given.map((attempt, i): AttemptCauses => {
          const { outcome_type, action_indices } = attempt;
          const summary = redactOrNull(attempt.summary);
          const { causal_entry_keys: keys, causal_entry_versions: versions } = attempt;
          const causes = checked(parseGivenCauses({ path: `attempts.${i}.`, keys, versions }));
          return { outcome_type, summary, action_indices, causes };
        })
      : recordedAttempts(session);
  const { causal_entry_keys: keys } = input;
  let causes = keys ? withReadVersions(checked(named), session.reads) : lastReads(session);
  if (input.used !== undefined) {
    if (keys) problems.push({ path: 'used', message: 'give used or causal_entry_keys, not both' });
    const found = usedCauses(input.used, [...session.reads, ...shown], last);
    problems.push(...found.problems);
    causes = found.causes;
  }
  if (problems.length > 0) throw invalidInput(problems);
  return { attempts, causes };
}

/** A cause without a version means the version that the session read last. */
function withReadVersions(causes: Cause[], reads: readonly SessionReadRow[]): Cause[] {
  if (reads.length === 0) return causes;
  const read = new Map(reads.map((row) => [`${row.entity_path}\n${row.key}`, row.version]));
  return causes.map((cause) => ({
    ...cause,
    version: cause.version ?? read.get(`${cause.entity_path}\n${cause.key}`),
  }));
}

type AttemptItem = { outcome_type: OutcomeType; summary: string | null; action_indices: number[] };

function recordedAttempts({ items, reads }: OpenSession): AttemptCauses[] {
  return items
    .filter(({ kind }) => kind === 'attempt')
    .map(({ attempt, data }) => {
      const { outcome_type, summary, action_indices } = JSON.parse(data) as AttemptItem;
      const causes = reads.filter((read) => read.attempt === attempt).map(toCause);
      return { outcome_type, summary, action_indices, causes };
    });
}

/** The reads after the last failed attempt. */
const lastReads = ({ row, reads }: OpenSession): Cause[] =>
  reads.filter((read) => read.attempt === (row?.attempt ?? 0)).map(toCause);
