import { field } from '../fields.ts';
import { isOn } from '../parse.ts';
import { ownCommand } from './command.ts';

export const exportCommand = ownCommand({
  word: 'export',
  summary: 'Export the whole account, or the entries of a branch, as JSON Lines',
  about:
    'Every version, outcome, trace, event and edge, private entries of all agents included, as the account was at one\n' +
    'moment. mem import puts it into an empty account, on either database. The format is in docs/import-export.md.\n\n' +
    'With --branch: the entries that you may read on a branch, as they are there. mem import puts them into any account.',
  flags: [
    field('branch', 'Only the entries of this branch, or of a state such as tags/v1 or main@120. Default: everything.'),
    field('out', 'The file to write. Default: standard output.', { kind: 'file' }),
    field('gzip', 'Compress it; a file that ends in .gz is compressed anyway.', { kind: 'boolean' }),
  ],
  examples: [
    ['mem export --out account.jsonl', 'into a file'],
    ['mem export --out account.jsonl.gz', 'the same, compressed'],
    ['mem export --branch experiment/retries --out retries.jsonl', 'the entries of a branch'],
  ],
  async run(given, parts) {
    const { exportAccount } = await import('../transfer/export.ts');
    const out = given.get('out')?.[0];
    const gzip = isOn(given, 'gzip') || out?.endsWith('.gz') === true;
    return exportAccount(parts, { branch: given.get('branch')?.[0], out, gzip });
  },
});
