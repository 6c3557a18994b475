import { toggle } from '../fields.ts';
import { isOn } from '../parse.ts';
import { ownCommand } from './command.ts';

export const doctor = ownCommand({
  word: 'doctor',
  summary: 'Check the set-up and say what to do',
  about: `Looks at Node, the settings, the store (folder, free space, integrity, schema; with PostgreSQL whether it can be
reached, rights and schema) or the server (reachable, version, key, embedder, clock), and at what clients of this machine
are told to start. Each check is ok, a warning or a failure with what to do about it. Nothing is changed, and passwords are
not shown. The exit code is 1 where something failed.`,
  flags: [toggle('json', 'Print the checks as JSON.')],
  examples: [
    ['mem doctor', 'check this shell and this machine'],
    ['MEM_HTTP_URL=https://mem.example.com mem doctor', 'check a server and the key in MEM_API_KEY'],
    ['mem doctor --json', 'for another program'],
  ],
  async run(given, parts) {
    const { runDoctor } = await import('../doctor/index.ts');
    return runDoctor(parts, isOn(given, 'json'));
  },
});
