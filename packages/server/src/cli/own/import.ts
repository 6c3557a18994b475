import { systems } from '../../import/systems.ts';
import { UsageError } from '../failure.ts';
import { field } from '../fields.ts';
import { isOn, type ParsedFlags } from '../parse.ts';
import { ownCommand } from './command.ts';

const choiceOf = <T extends string>(given: ParsedFlags, flag: string, choices: readonly T[]): T | undefined => {
  const text = given.get(flag)?.[0];
  if (text === undefined || choices.includes(text as T)) return text as T | undefined;
  throw new UsageError(`--${flag} must be one of ${choices.join(', ')}, not ${JSON.stringify(text)}`);
};

export const importCommand = ownCommand({
  word: 'import',
  summary: 'Import an export, or the memory of another system',
  about:
    'A file that mem export wrote goes into an empty account. It is taken as a whole or not at all; run the same command\n' +
    'again to go on after it was interrupted. What mem export --branch wrote comes in beside what is there.\n\n' +
    'Files of another system come in beside what is there. Authors and times are kept, and running it again changes\n' +
    'nothing. The system is recognised by what the files hold; --from says it. docs/import-export.md describes how each\n' +
    'thing is converted.',

  args: [
    field('path', 'The file, or for some systems the folder. - : standard input (exports only).', { kind: 'file' }),
  ],
  flags: [
    field('from', 'The system that wrote it. Without it, it is recognised.', { kind: 'choice', choices: systems }),
    field('dry-run', 'Only report what would be written, and what occurs twice.', { kind: 'boolean' }),
    field('on-conflict', 'What to do if an entry has another value. Default: version.', {
      kind: 'choice',
      choices: ['version', 'skip'],
    }),
    field('into', 'The path that everything from another system goes below. Default: the name of the system.'),
    field('discard', 'Drop what an interrupted import has left, and import nothing.', { kind: 'boolean' }),
    field('json', 'Print the report as JSON.', { kind: 'boolean' }),
  ],
  examples: [
    ['mem import account.jsonl', 'an export into an empty account'],
    ['mem import --from mem0 ~/.mem0 --dry-run', 'what would come from mem0'],
    ['mem import memory.jsonl', 'entities and relations of server-memory'],
    ['mem import --from basic-memory ~/basic-memory --into notes', 'notes, below notes/'],
  ],
  async run(given, parts) {
    const path = given.get('path')?.[0];
    const json = isOn(given, 'json');
    if (isOn(given, 'discard')) return (await import('../transfer/import.ts')).discardImport(parts, json);
    if (path === undefined) throw new UsageError('path is missing: see mem help import');
    const { recogniseSystem } = await import('../transfer/recognise.ts');
    const from = choiceOf(given, 'from', systems) ?? (await recogniseSystem(path, parts.terminal));
    const on_conflict = choiceOf(given, 'on-conflict', ['version', 'skip'] as const) ?? 'version';
    const dry_run = isOn(given, 'dry-run');
    if (from === undefined)
      return (await import('../transfer/import.ts')).importExport(parts, { path, on_conflict, dry_run, json });
    const into = given.get('into')?.[0] ?? from;
    const { importForeign } = await import('../transfer/foreign.ts');
    return importForeign(parts, { system: from, path, into, on_conflict, dry_run, json });
  },
});
