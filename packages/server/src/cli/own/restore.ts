import { findCommand } from '../commands.ts';
import { UsageError } from '../failure.ts';
import { field, toggle } from '../fields.ts';
import { readClientConfig } from '../memory.ts';
import { isOn } from '../parse.ts';
import { printReport } from './backup.ts';
import { type OwnCommand, ownCommand } from './command.ts';

const restoreBackup = ownCommand({
  word: 'restore',
  summary: 'Restore the store from a backup',
  about: `Puts a file of mem backup in place of the SQLite store of this machine. The file is checked first, and the copy
afterwards. A store that is in use is never replaced: stop the server and agents. One that holds anything is replaced
with --force. An old version of one entry is restored with mem restore-version.`,
  args: [field('file', 'The file that mem backup wrote.', { kind: 'file', required: true })],
  flags: [toggle('force', 'Replace what the store holds.'), toggle('json', 'Print the report as JSON.')],
  examples: [
    ['mem restore mem-backup-2026-11-15T03-00-00.db', 'into an empty store'],
    ['MEM_DATA_DIR=/srv/mem mem restore mem.db --force', 'in place of what is there'],
  ],
  async run(given, parts) {
    const file = given.get('file')?.[0];
    if (file === undefined) throw new UsageError('file is missing: see mem help restore');
    const report = await parts.restoreStore(readClientConfig(parts), { file, force: isOn(given, 'force') });
    printReport(parts.terminal, {
      report,
      json: isOn(given, 'json'),
      text: `restored ${report.store} from ${report.file}`,
    });
    return 0;
  },
});

/** With a path and a key it is what restore-version does, which had this name before. */
export const restore: OwnCommand = {
  ...restoreBackup,
  async run(args, parts) {
    const entry = findCommand('entries.restore');
    return entry && isAboutEntry(args) ? parts.runCommand(entry, args) : restoreBackup.run(args, parts);
  },
};

const isAboutEntry = (args: readonly string[]): boolean =>
  args.filter((arg) => !arg.startsWith('-')).length > 1 ||
  args.some((arg) => /^--(entity-path|key|version)\b/.test(arg));
