import { field } from '../fields.ts';
import { isOn } from '../parse.ts';
import { ownCommand } from './command.ts';

export const exportCommand = ownCommand({
  word: 'export',
  summary: 'Export the whole account as JSON Lines',
  about:
    'Every version, outcome, trace, event and edge, private entries of all agents included, as the account was at one\n' +
    'moment. mem import puts it into an empty account, on either database. The format is in docs/import-export.md.',
  flags: [
    field('out', 'The file to write. Default: standard output.', { kind: 'file' }),
    field('gzip', 'Compress it; a file that ends in .gz is compressed anyway.', { kind: 'boolean' }),
  ],
  examples: [
    ['mem export --out account.jsonl', 'into a file'],
    ['mem export --out account.jsonl.gz', 'the same, compressed'],
  ],
  async run(given, parts) {
    const { exportAccount } = await import('../transfer/export.ts');
    const out = given.get('out')?.[0];
    return exportAccount(parts, { out, gzip: isOn(given, 'gzip') || out?.endsWith('.gz') === true });
  },
});
