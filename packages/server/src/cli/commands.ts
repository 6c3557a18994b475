import { type Operation, type OperationName, operationNames, operations } from '@mem-service/contract';
import { isPaged } from '@mem-service/sdk';
import { type CommandField, field, fieldsOf, toggle } from './fields.ts';

export type Command = {
  name: OperationName;
  /** The word to type: the short name, or the full name if there is none. */
  word: string;
  /** Synonyms that still work, including the full name. */
  also: readonly string[];
  /** Not listed: a step of another command, which does the same in one go. */
  hidden: boolean;
  operation: Operation;
  /** Positional arguments, in this order. */
  readonly args: CommandField[];
  readonly fields: CommandField[];
  /** Flags that are not input fields. */
  readonly common: CommandField[];
};

const ALL = toggle('all', 'Follow the pages to the end.');
const TEXT = toggle('text', 'Take the value as text, whatever it looks like.');
const YES = toggle('yes', 'Do not ask. Needed where there is no terminal to ask on.');
const FAIL_ON_FAIL = toggle('fail-on-fail', 'Exit with 1 unless every case passed.');
const COMMON = [
  toggle('json', 'Print the answer as JSON, exactly as it came, with every field.'),
  field('agent', 'The agent on whose behalf this runs. Default: MEM_AGENT_ID, or cli.'),
  field('session', 'The session it belongs to.'),
  toggle('help', 'Print this help.'),
];

/** Fields are read from the schemas on first use, because a run needs only one command. */
function toCommand(name: OperationName): Command {
  const operation: Operation = operations[name];
  const { alias, also = [], args = [], hidden = false } = operation.cli ?? {};
  let fields: CommandField[] | undefined;
  return {
    name,
    word: alias ?? name,
    also: alias ? [...also, name] : [],
    hidden,
    operation,
    get fields() {
      fields ??= fieldsOf(operation);
      return fields;
    },
    get args() {
      return args.flatMap((arg) => this.fields.filter((field) => field.name === arg));
    },
    get common() {
      return [
        ...(isPaged(name) ? [ALL] : []),
        ...(this.fields.some(({ kind }) => kind === 'value') ? [TEXT] : []),
        ...(operation.erases ? [YES] : []),
        ...(name === 'case_runs.create' ? [FAIL_ON_FAIL] : []),
        ...COMMON.filter(({ flag }) => this.fields.every((one) => one.flag !== flag)),
      ];
    },
  };
}

/** Every operation in the table is a command. */
export const commands: readonly Command[] = operationNames.map(toCommand);

export const listedCommands = commands.filter(({ hidden }) => !hidden);

export function findCommand(word: string): Command | undefined {
  return commands.find((command) => command.word === word || command.also.includes(word));
}

/** `events send` is `events.send`, unless `events` takes a word itself. */
export function findInTwoWords(word: string, second: string | undefined): Command | undefined {
  if (second === undefined || findCommand(word)?.args.length) return undefined;
  const name = `${word}.${second.replaceAll('-', '_')}`;
  return commands.find((command) => command.name === name || command.also.includes(`${word} ${second}`));
}

export type CommandPair = { pair: string; command: Command };

/** The commands of two words that begin with a word which is no command by itself. */
export const pairsWith = (word: string): CommandPair[] =>
  commands.flatMap((command) =>
    command.also.filter((pair) => pair.startsWith(`${word} `)).map((pair) => ({ pair, command })),
  );

/** What people type where a text for agents names a tool. */
export function commandOfTool(tool: string): string {
  const found = listedCommands.find(({ operation }) => operation.tools?.some(({ name }) => name === tool));
  return found ? `mem ${found.word}` : tool;
}

/** What people type where a message of the service names an operation. */
export function commandOfOperation(operation: string): string {
  const found = listedCommands.find(({ name }) => name === operation);
  return found ? `mem ${found.word}` : operation;
}

/** A field as the user writes it: its flag, or its name if it is positional. */
export const fieldLabel = ({ args }: Command, field: CommandField): string =>
  args.includes(field) ? field.name : `--${field.flag}`;
