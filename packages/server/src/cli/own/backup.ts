import type { BackupReport } from '../../backup.ts';
import { field, toggle } from '../fields.ts';
import { readClientConfig } from '../memory.ts';
import { isOn } from '../parse.ts';
import { bytes, clean, counted } from '../render/index.ts';
import type { Terminal } from '../terminal.ts';
import { ownCommand } from './command.ts';

const JSON_FLAG = toggle('json', 'Print the report as JSON.');

export const backup = ownCommand({
  word: 'backup',
  summary: 'Back up the store while it is in use',
  about: `Copies the SQLite store of this machine, with all accounts, as it is at one moment. Servers and agents may go on
reading and writing. The copy is checked before it gets its name: SQLite finds nothing wrong with it, and every table
has as many rows as the store had. For PostgreSQL use pg_dump, for a server elsewhere run it there.`,
  args: [field('file', 'The file to write. Default: mem-backup- and the time, in this folder.', { kind: 'file' })],
  flags: [toggle('force', 'Replace a file of this name.'), JSON_FLAG],
  examples: [
    ['mem backup', 'into a new file in this folder'],
    ['mem backup /backups/mem.db --force', 'every night, over the one before'],
  ],
  async run(given, parts) {
    const file = given.get('file')?.[0] ?? `mem-backup-${timeInName(new Date())}.db`;
    const report = await parts.backupStore(readClientConfig(parts), { file, force: isOn(given, 'force') });
    printReport(parts.terminal, {
      report,
      json: isOn(given, 'json'),
      text: `backed up ${report.store} to ${report.file}`,
    });
    return 0;
  },
});

const timeInName = (time: Date): string => time.toISOString().slice(0, 19).replaceAll(':', '-');

type ReportOutput = { report: BackupReport; json: boolean; text: string };

export function printReport(terminal: Terminal, { report, json, text }: ReportOutput): void {
  const { rows } = report;
  const total = Object.values(rows).reduce((sum, n) => sum + n, 0);
  const held = `${counted(rows.entries ?? 0, 'entry', 'entries')}, ${counted(rows.events ?? 0, 'event')}`;
  const checked = `checked: intact, ${counted(total, 'row')} in ${counted(Object.keys(rows).length, 'table')} as in the original`;
  terminal.out(json ? `${JSON.stringify(report)}\n` : `${clean(text)}: ${bytes(report.bytes)}, ${held}\n${checked}\n`);
}
