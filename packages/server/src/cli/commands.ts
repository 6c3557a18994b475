import { type Operation, type OperationName, operationNames, operations } from '@mem-service/contract';
import { isPaged } from '@mem-service/sdk';
import { type Field, fieldsOf } from './fields.ts';

export type Command = {
  name: OperationName;
  /** What people type: the short name, or the full one where there is none. */
  word: string;
  operation: Operation;
  /** Taken by position, in this order. */
  args: Field[];
  fields: Field[];
  /** Flags that are no field of the input. */
  common: Field[];
};

const common = (flag: string, kind: 'boolean' | 'text', description: string): Field => ({
  name: flag,
  flag,
  kind,
  choices: [],
  required: false,
  description,
  fallback: undefined,
});

const ALL = common('all', 'boolean', 'Follow the pages to the end.');
const COMMON = [
  common('json', 'boolean', 'Print the answer as JSON, exactly as it came.'),
  common('agent', 'text', 'The agent on whose behalf this runs. Default: MEM_AGENT_ID, or cli.'),
  common('session', 'text', 'The session it belongs to.'),
  common('help', 'boolean', 'Print this help.'),
];

function toCommand(name: OperationName): Command {
  const operation: Operation = operations[name];
  const fields = fieldsOf(operation);
  const args = (operation.cli?.args ?? []).flatMap((arg) => fields.filter((field) => field.name === arg));
  return {
    name,
    word: operation.cli?.alias ?? name,
    operation,
    args,
    fields,
    common: isPaged(name) ? [ALL, ...COMMON] : COMMON,
  };
}

/** Every operation of the table is a command. */
export const commands: readonly Command[] = operationNames.map(toCommand);

/** Commands that are about the program itself. */
export const ownCommands = {
  serve: 'Start the service',
  mcp: 'Serve an MCP client over standard input and output',
  completion: 'Print a completion script for bash, zsh or fish',
  help: 'Print help, also for one command',
} as const;

export function findCommand(word: string): Command | undefined {
  return commands.find((command) => command.word === word || command.name === word);
}

/** A field as people write it: by its flag, or by its name where it has a place. */
export const labelOf = ({ args }: Command, field: Field): string =>
  args.includes(field) ? field.name : `--${field.flag}`;

export const commandWords = (): string[] => [...commands.map(({ word }) => word), ...Object.keys(ownCommands)];
