export type QualityIssue = { type: string; message: string; suggestion: string };
export type Quality = { score: number; action: 'stored_ok' | 'stored_with_suggestions'; issues: QualityIssue[] };

type AssessedEntry = {
  key: string;
  value: unknown;
  confidence: number;
  memory_type: string;
  pattern_refs: readonly string[];
};

const SHORT_LENGTH = 50;
const OK_PERCENT = 80;
const MAX_BELIEF_CONFIDENCE = 0.9;

/** `percent` is what the issue takes off the score; whole numbers, as 1 - 0.1 - 0.1 is not quite 0.8. */
const ISSUES = {
  too_short: {
    percent: 30,
    message: `The value is shorter than ${SHORT_LENGTH} characters, which seldom tells a later reader enough.`,
    suggestion: 'Say what was found or decided, why, and the figures that matter.',
  },
  unstructured: {
    percent: 10,
    message: 'The value is plain text.',
    suggestion: 'Use an object with named fields: others can filter, compare and aggregate it.',
  },
  belief_no_rationale: {
    percent: 10,
    message: 'The belief gives no reason.',
    suggestion: 'Add what it rests on, for example "because …" or an evidence field.',
  },
  overconfident_belief: {
    percent: 10,
    message: `The confidence is above ${MAX_BELIEF_CONFIDENCE}, which is a lot for a belief.`,
    suggestion: 'Lower the confidence and let outcomes raise it, or write a fact.',
  },
  not_structured: {
    percent: 10,
    message: 'The procedure is not an object.',
    suggestion: 'Use an object with a goal and a list of steps.',
  },
  missing_goal: {
    percent: 10,
    message: 'The procedure has no goal.',
    suggestion: 'Add goal: one sentence on what is reached when all steps are done.',
  },
  missing_steps: {
    percent: 10,
    message: 'The procedure has no steps.',
    suggestion: 'Add steps: a list of texts or of objects with an action.',
  },
  malformed_step: {
    percent: 10,
    message: 'A step is neither text nor an object with an action.',
    suggestion: 'Write each step as text or as {"action": "…", "action_key": "…"}.',
  },
  malformed_effects: {
    percent: 10,
    message: 'The effects are not a list.',
    suggestion: 'Give effects as a list, also when there is one.',
  },
  malformed_evidence: {
    percent: 10,
    message: 'The evidence is not a list.',
    suggestion: 'Give evidence as a list, also when there is one piece.',
  },
  malformed_depends_on: {
    percent: 10,
    message: 'The dependencies are not a list of references.',
    suggestion: 'Write each as {"ref": "path/key"}, with a version if it has to be that one.',
  },
} as const satisfies Record<string, { percent: number; message: string; suggestion: string }>;

type IssueType = keyof typeof ISSUES;

/** Hints that make a memory more useful. Judges only by the entry itself. */
export function assessQuality(entry: AssessedEntry): Quality {
  const types = [...textIssues(entry), ...beliefIssues(entry), ...procedureIssues(entry)];
  const percent = types.reduce((left, type) => left - ISSUES[type].percent, 100);
  return {
    score: Math.max(percent, 0) / 100,
    action: percent >= OK_PERCENT ? 'stored_ok' : 'stored_with_suggestions',
    issues: types.map((type) => ({ type, message: ISSUES[type].message, suggestion: ISSUES[type].suggestion })),
  };
}

function textIssues({ value, memory_type }: AssessedEntry): IssueType[] {
  if (!holdsManyParts(value) && !holdsLongText(value) && textOf(value).length < SHORT_LENGTH) return ['too_short'];
  return typeof value === 'string' && memory_type !== 'procedure' ? ['unstructured'] : [];
}

const RATIONALE =
  /\b(?:because|since|due to|caused by|reason|rationale|evidence|hypothes|theor|assum|suggest|indicat|likely|suspect|believe|therefore|observed|measured)/i;

function beliefIssues({ value, confidence, memory_type }: AssessedEntry): IssueType[] {
  if (memory_type !== 'belief') return [];
  const issues: IssueType[] = RATIONALE.test(textOf(value)) ? [] : ['belief_no_rationale'];
  return confidence > MAX_BELIEF_CONFIDENCE ? [...issues, 'overconfident_belief'] : issues;
}

function procedureIssues({ value, memory_type }: AssessedEntry): IssueType[] {
  if (memory_type !== 'procedure') return [];
  if (!isObject(value)) return ['not_structured'];
  const { goal, steps, effects, evidence, depends_on } = value;
  const issues: IssueType[] = [];
  if (!isText(goal)) issues.push('missing_goal');
  if (!Array.isArray(steps) || steps.length === 0) issues.push('missing_steps');
  else if (!steps.every(isStep)) issues.push('malformed_step');
  if (effects !== undefined && !Array.isArray(effects)) issues.push('malformed_effects');
  if (evidence !== undefined && !Array.isArray(evidence)) issues.push('malformed_evidence');
  if (depends_on !== undefined && !(Array.isArray(depends_on) && depends_on.every(isDependency)))
    issues.push('malformed_depends_on');
  return issues;
}

function isStep(step: unknown): boolean {
  if (!isObject(step)) return isText(step);
  return isText(step.action) && (step.action_key === undefined || isText(step.action_key));
}

function isDependency(dependency: unknown): boolean {
  if (!isObject(dependency) || !isText(dependency.ref)) return false;
  const { version } = dependency;
  return version === undefined || (Number.isInteger(version) && Number(version) > 0);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Recognises most long values without serialising them. */
function holdsLongText(value: unknown): boolean {
  if (!isObject(value)) return isLongText(value);
  for (const name in value) if (isLongText(value[name])) return true;
  return false;
}

const isLongText = (part: unknown): boolean => typeof part === 'string' && part.length >= SHORT_LENGTH;

/** Each part takes a character at least. */
const holdsManyParts = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length >= SHORT_LENGTH;

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
