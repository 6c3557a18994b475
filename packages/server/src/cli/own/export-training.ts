import { trainingFormats } from '@mem-service/contract';
import { field } from '../fields.ts';
import { ownCommand } from './command.ts';

const FLAGS = ['format', 'entity-path', 'agent-id', 'min-confidence', 'since', 'until', 'branch', 'limit'] as const;
const NUMBERS: readonly string[] = ['min-confidence', 'limit'];

export const exportTraining = ownCommand({
  word: 'export-training',
  summary: 'Export examples for training from sealed sessions, as JSON Lines',
  about:
    'Of sessions that you may see, newest first, without secrets. Lessons that the service writes itself, and agents with the\n' +
    'tag no-training in their profile, are left out. The formats are in docs/traces.md.',
  flags: [
    field('format', 'The form of the examples. Default: sft.', { kind: 'choice', choices: trainingFormats }),
    field('entity-path', 'Only sessions that read an entry there.'),
    field('agent-id', 'Only sessions of this agent.'),
    field('min-confidence', 'Entries below it are left out. Default: 0.7.', { kind: 'number' }),
    field('since', 'Sessions that ended at or after this time.'),
    field('until', 'Sessions that ended before this time.'),
    field('branch', 'The branch of the sessions. Default: main.'),
    field('limit', 'The most examples. Default: all.', { kind: 'number' }),
    field('out', 'The file to write. Default: standard output.', { kind: 'file' }),
  ],
  examples: [
    ['mem export-training --out examples.jsonl', 'into a file'],
    ['mem export-training --format dpo --entity-path checkout/** --out pairs.jsonl', 'pairs, of some sessions'],
  ],
  async run(given, parts) {
    const { exportExamples } = await import('../transfer/training.ts');
    const asked = FLAGS.flatMap((flag) => {
      const text = given.get(flag)?.[0];
      if (text === undefined) return [];
      return [[flag.replaceAll('-', '_'), NUMBERS.includes(flag) ? Number(text) : text] as const];
    });
    return exportExamples(parts, { input: Object.fromEntries(asked), out: given.get('out')?.[0] });
  },
});
