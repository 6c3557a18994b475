import type { judgeShapes } from '@mem-service/server/module';

type StarterDefinition = judgeShapes.CheckedDefinition;
type StarterCheck = judgeShapes.SimpleCheck;
type StarterJudge = { id: string; name: string; description: string; definition: StarterDefinition };

const atMost = (of: judgeShapes.JudgedFigure, limit: number): StarterCheck => ({ check: 'most', of, limit });

/** A text, or a list, that is there and not empty. */
const isText = (path: string): StarterCheck => ({
  ...{ check: 'json_path', path, op: 'matches', value: '\\S' },
  ...{ every: false, not: false },
});
const isThere = (path: string): StarterCheck => ({ check: 'json_path', path, op: 'exists', every: false, not: false });

const without = (
  where: Extract<StarterCheck, { check: 'pattern' }>['in'],
  pattern: string,
  ignore_case = false,
): StarterCheck => ({
  ...{ check: 'pattern', in: where, pattern, ignore_case, not: true },
});

const ended: StarterCheck = { check: 'outcome', in: ['success', 'clean_deploy'], not: false };
const asked = isText('$.task_input');
const answered = isText('$.response_text');

const all = (...checks: StarterCheck[]): StarterDefinition => ({ kind: 'code', checks });
const allWhere = (when: StarterCheck, ...checks: StarterCheck[]): StarterDefinition => ({ kind: 'code', when, checks });

/** Expressions that take linear time on any text. */
const REFUSAL =
  "I (?:can't|can’t|cannot|am unable to|am not able to|won't|won’t) (?:help|assist|do|comply|provide|answer)";
const SECRET = [
  `(?:AKIA|ASIA)${'[0-9A-Z]'.repeat(8)}`,
  `gh[pousr]_${'[0-9A-Za-z]'.repeat(8)}`,
  `sk-${'[0-9A-Za-z_-]'.repeat(8)}`,
  'xox[abprs]-[0-9]',
  'BEGIN (?:RSA |EC |OPENSSH )?PRIVATE KEY',
].join('|');

const MINUTE_MS = 60_000;

/** Judges that say something about any trace; what a trace does not record is skipped, not failed. */
export const STARTER_PACK: readonly StarterJudge[] = [
  {
    ...{ id: 'good-outcome', name: 'Good outcome', definition: all(ended) },
    description: 'The outcome is a success. Traces without an outcome are skipped.',
  },
  {
    ...{ id: 'no-failed-tools', name: 'No failed tools' },
    description: 'Every tool that was called succeeded. Traces without calls are skipped.',
    definition: allWhere(
      { check: 'tool_required', tool: '*', min: 1, succeeded: false },
      atMost('failed_tool_calls', 0),
    ),
  },
  {
    ...{ id: 'no-errors', name: 'No errors', definition: all(atMost('errors', 0)) },
    description: 'No error was recorded, and no span ended with one.',
  },
  {
    ...{ id: 'answers', name: 'Answers', definition: allWhere(asked, answered) },
    description: 'Who was given a task answers. Traces that record no task are skipped.',
  },
  {
    ...{ id: 'no-refusal', name: 'No refusal', definition: all(without('response_text', REFUSAL, true)) },
    description: 'The answer does not refuse the task in the usual words of a model.',
  },
  {
    ...{ id: 'no-secrets', name: 'No secrets' },
    description: 'Neither the answer nor what tools were given looks like it holds a key.',
    definition: {
      kind: 'rubric',
      pass_at: 1,
      items: [
        { name: 'answer', weight: 1, required: false, check: without('response_text', SECRET) },
        { name: 'arguments of tools', weight: 1, required: false, check: without('tool_arguments', SECRET) },
      ],
    },
  },
  {
    ...{ id: 'no-runaway', name: 'No runaway', definition: all(atMost('steps', 100), atMost('attempts', 5)) },
    description: 'At most 100 calls of tools and models, and at most 5 failed attempts.',
  },
  {
    ...{ id: 'cost', name: 'Cost', definition: all(atMost('cost_usd', 1)) },
    description: 'At most one dollar. Traces whose cost is not known are skipped.',
  },
  {
    ...{ id: 'duration', name: 'Duration', definition: all(atMost('duration_ms', 30 * MINUTE_MS)) },
    description: 'At most half an hour. Traces whose beginning is not known are skipped.',
  },
  {
    ...{ id: 'well-run', name: 'Well run' },
    description: 'A score: good outcome, nothing failed, an answer, and memory was read.',
    definition: {
      kind: 'rubric',
      pass_at: 0.7,
      items: [
        { name: 'good outcome', weight: 3, required: false, check: ended },
        { name: 'no failed tools', weight: 2, required: false, check: atMost('failed_tool_calls', 0) },
        { name: 'no errors', weight: 2, required: false, check: atMost('errors', 0) },
        { name: 'an answer', weight: 1, required: false, check: answered },
        { name: 'memory was read', weight: 1, required: false, check: isThere('$.causal_entries[0]') },
      ],
    },
  },
];
