import { type ExitCode, UsageError } from '../failure.ts';
import { field } from '../fields.ts';
import { isOn } from '../parse.ts';
import { clean } from '../render/text.ts';
import { withConnection } from '../transfer/connection.ts';
import { ownCommand, wholeNumber } from './command.ts';

const FLAGS = ['trace-id', 'judge-id', 'since', 'until'] as const;

export const investigate = ownCommand({
  word: 'investigate',
  module: 'investigations',
  summary: 'Ask a question about the sessions of an agent',
  about:
    'Prints each step with what it found, and the answer last. Without a language model the steps are a plan;\n' +
    'docs/evaluation.md describes them.',
  args: [
    field('agent-id', 'The agent it is about.', { required: true }),
    field('question', 'What to find out.', { required: true }),
  ],
  flags: [
    field('trace-id', 'A trace that failed. Default: the newest one.'),
    field('judge-id', 'Failing are the traces that this judge failed. Default: those with such an outcome.'),
    field('since', 'Traces that were sealed at or after this time.'),
    field('until', 'Traces that were sealed before this time.'),
    field('max-steps', 'The most steps. Default: 8.', { kind: 'number' }),
    field('json', 'Print the lines as they are, with what they rest on.', { kind: 'boolean' }),
  ],
  examples: [
    ["mem investigate agent/billing 'Why do refunds fail?'", 'with each step'],
    [
      "mem investigate agent/billing 'Why?' --judge-id no-failed-tools --json",
      'what a judge failed, with the evidence',
    ],
  ],
  async run(given, parts) {
    const of = (flag: string) => given.get(flag)?.[0];
    if (of('agent-id') === undefined || of('question') === undefined)
      throw new UsageError('name the agent and the question');
    const max_steps = wholeNumber(given, 'max-steps');
    const input = {
      ...{ agent_id: of('agent-id'), question: of('question') },
      ...Object.fromEntries(
        FLAGS.flatMap((flag) => (of(flag) === undefined ? [] : [[flag.replaceAll('-', '_'), of(flag)]])),
      ),
      ...(max_steps === undefined ? {} : { max_steps }),
    };
    return withConnection<ExitCode>(parts, 'read', async (connection) => {
      for await (const line of connection.lines('investigations.run', input)) {
        const { no, step, found } = JSON.parse(line) as { no: number; step: string; found: string };
        parts.terminal.out(isOn(given, 'json') ? `${line}\n` : `${no}. ${step}: ${clean(found)}\n`);
      }
      return 0;
    });
  },
});
