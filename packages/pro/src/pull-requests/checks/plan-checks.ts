import {
  Fault,
  loadViolations,
  newScanBudget,
  pause,
  type Query,
  secretsInEntry,
  stringify,
} from '@mem-service/server/module';
import type { PlannedEntry } from '../../merges/plan.ts';
import type { BuiltInCheck } from './built-in.ts';
import type { PullPlan } from './plan.ts';
import { type CheckResult, countOf, type Finding, privateTo } from './result.ts';

type Checked = { query: Query; account_id: string; plan: PullPlan | Fault };

/** The checks of what a merge would write. */
export async function checkPlan({ query, account_id, plan }: Checked): Promise<CheckResult[]> {
  if (plan instanceof Fault) return tooLarge(plan);
  const written = plan.entries.filter(({ merged }) => merged.kind !== 'target');
  return [
    await checkContracts({ query, account_id }, written),
    await checkSecrets(written),
    { name: 'size', status: 'passed', summary: 'one merge takes it', findings: [] },
    checkConflicts(plan),
  ];
}

const tooLarge = ({ message }: Fault): CheckResult[] => [
  { name: 'size', status: 'failed', summary: message, findings: [] },
  ...(['contracts', 'secrets', 'conflicts'] as const).map((name): CheckResult => {
    return { name, status: 'pending', summary: 'not run, as the merge is too large', findings: [] };
  }),
];

const findingAbout = (planned: PlannedEntry, message: string): Finding => ({
  ...planned.at,
  message,
  private_to: privateTo(planned),
});

function resultOf(name: BuiltInCheck, findings: readonly Finding[], [good, bad]: readonly [string, string]) {
  const isGood = findings.length === 0;
  return { name, status: isGood ? 'passed' : 'failed', summary: isGood ? good : bad, findings } as const;
}

/** What a merge would write; of a conflict, what the source has. Undefined for a deletion. */
function writtenBy({ merged, contents }: PlannedEntry) {
  const { source, target } = contents;
  if (merged.kind === 'deleted') return undefined;
  if (merged.kind !== 'merged')
    return source && { state: source.state, text: source.value, by: source.origin.agent_id };
  const { state, text = stringify(state.value) } = merged;
  return { state, text, by: (source ?? target ?? contents.base)?.origin.agent_id ?? '' };
}

/** Entries keep their author, so the rules of each author for its own writes hold for them. */
async function checkContracts(
  { query, account_id }: Pick<Checked, 'query' | 'account_id'>,
  written: readonly PlannedEntry[],
): Promise<CheckResult> {
  const authored = written.flatMap((planned) => {
    const content = writtenBy(planned);
    return content ? [{ planned, content, agent_id: content.by }] : [];
  });
  const agents = authored.map(({ agent_id }) => agent_id);
  const violationsOf = await loadViolations({ account_id, tx: query }, agents);
  const findings: Finding[] = [];
  for (const { planned, content, agent_id } of violationsOf ? authored : []) {
    const { value, confidence, ttl_at } = content.state;
    const broken = violationsOf?.({ ...planned.at, agent_id, value, confidence, ttl_at }) ?? [];
    findings.push(...broken.map(({ path, message }) => findingAbout(planned, `${path}: ${message}`)));
    await pause();
  }
  const bad = `${countOf(findings.length, 'rule is', 'rules are')} broken`;
  return resultOf('contracts', findings, ['no rule of an author is broken', bad]);
}

/** Names the kind of a secret and never its text. */
async function checkSecrets(written: readonly PlannedEntry[]): Promise<CheckResult> {
  const findings: Finding[] = [];
  for (const planned of written) {
    const content = writtenBy(planned);
    const found = content && secretsInEntry(planned.at.key, content.text, newScanBudget());
    if (found)
      findings.push(findingAbout(planned, `the ${found.part} looks like a secret (${found.kinds.join(', ')})`));
    await pause();
  }
  const bad = `${countOf(findings.length, 'entry looks', 'entries look')} like a secret`;
  return resultOf('secrets', findings, ['nothing looks like a secret', bad]);
}

function checkConflicts({ conflicting }: PullPlan): CheckResult {
  const findings = conflicting.map((planned) =>
    findingAbout(planned, planned.merged.kind === 'conflict' ? planned.merged.reason : ''),
  );
  const bad = `${countOf(findings.length, 'conflict is', 'conflicts are')} open`;
  return resultOf('conflicts', findings, ['no conflicts', bad]);
}
