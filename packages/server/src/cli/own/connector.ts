import { suggest } from '@mem-service/contract';
import { type ExitCode, UsageError } from '../failure.ts';
import { field, toggle } from '../fields.ts';
import type { ParsedFlags } from '../parse.ts';
import { identityFlags, ownCommand } from './command.ts';

const VERBS = ['install', 'list', 'remove', 'test', 'new', 'replay'] as const;
type Verb = (typeof VERBS)[number];

/** How many words each verb takes after itself. */
const WORDS: Record<Verb, readonly [least: number, most: number]> = {
  install: [1, 1],
  list: [0, 0],
  remove: [1, 1],
  test: [1, 2],
  new: [1, 1],
  replay: [0, 1],
};

export const connector = ownCommand({
  word: 'connector',
  summary: 'Install, write and test connectors, and replay what failed',
  about: `A connector makes entries of the webhooks of a tool. Some are built in; others are installed into the data folder.

  install <source>          from npm (acme is the package amfs-connector-acme), a folder (./acme) or a tarball;
                            nothing of it is run, and no install script
  list                      built-in and installed ones, and whether the secret of each is set
  remove <name>             an installed one
  test [connector] <file>   run a payload through a connector, by its name or folder (here by default), and show
                            the results; nothing is stored
  new <name>                write a connector that works, with a test, into a new folder here
  replay [letter]           transform an event again that failed; without an id, list those that did

A server loads connectors when it starts. docs/connectors.md is the guide.`,
  args: [
    field('verb', 'What to do.', { kind: 'choice', choices: VERBS }),
    field('what', 'A name, a folder, a tarball, or the id of a dead letter.', { kind: 'file' }),
    field('file', 'With test: the file with the payload.', { kind: 'file' }),
  ],
  flags: [
    field('event-type', 'With test: the type of the event. Default: what the connector reads from it.'),
    field('id', 'With test: the id of the delivery.'),
    field('headers', 'With test: headers of the delivery, as a JSON object.'),
    toggle('all', 'With replay: all of them.'),
    toggle('json', 'Print the report as JSON.'),
    ...identityFlags,
  ],
  examples: [
    ['mem connector new acme', 'a connector to begin with, in amfs-connector-acme'],
    ['mem connector test amfs-connector-acme amfs-connector-acme/payload.json', 'what it makes of a payload'],
    ['mem connector install ./amfs-connector-acme', 'into the data folder'],
    ['mem connector list', 'which there are, and which have a secret'],
    ['mem connector replay --all', 'try all failed events again'],
  ],
  async run(given, parts): Promise<ExitCode> {
    const verb = verbIn(given);
    const words = ['what', 'file'].flatMap((name) => given.get(name) ?? []);
    const [least, most] = WORDS[verb];
    if (words.length < least) throw new UsageError(`mem connector ${verb} needs more: see mem help connector`);
    if (words.length > most) throw new UsageError(`mem connector ${verb} does not take ${JSON.stringify(words[most])}`);
    const [what = '', file] = words;
    if (verb === 'replay') return (await import('../connector/replay.ts')).replay(what, given, parts);
    const call = { what, file, given, parts };
    if (verb === 'test') return (await import('../connector/test-payload.ts')).testPayload(call);
    const commands = await import('../connector/commands.ts');
    return commands[verb === 'new' ? 'create' : verb](call);
  },
});

function verbIn(given: ParsedFlags): Verb {
  const text = given.get('verb')?.[0];
  const verb = VERBS.find((one) => one === text);
  if (verb) return verb;
  const near = text === undefined ? '' : `mem connector has no ${JSON.stringify(text)}${suggest(text, VERBS)}\n`;
  throw new UsageError(`${near}say what to do: mem connector ${VERBS.join('|')}`);
}
