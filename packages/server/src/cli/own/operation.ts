import type { OperationName } from '@mem-service/contract';
import { commands } from '../commands.ts';
import type { ExitCode } from '../failure.ts';
import type { ParsedFlags } from '../parse.ts';
import type { OwnParts } from './command.ts';

type OperationCall = { name: OperationName; input: Readonly<Record<string, string | boolean | undefined>> };

/** Flags that every operation has. */
const COMMON = ['json', 'agent', 'session', 'all'];

/** Runs an operation as if its full name had been typed, with these fields and the common flags that were given. */
export function runOperation(parts: OwnParts, given: ParsedFlags, { name, input }: OperationCall): Promise<ExitCode> {
  const command = commands.find((one) => one.name === name);
  if (!command) throw new Error(`there is no command for ${name}`);
  const words = Object.entries(input).flatMap(([member, value]) => {
    const flag = command.fields.find((field) => field.name === member)?.flag;
    return value === undefined ? [] : [`--${flag ?? member}=${value}`];
  });
  const common = COMMON.flatMap((flag) => (given.get(flag) ?? []).map((text) => `--${flag}=${text}`));
  return parts.runCommand(command, [...words, ...common]);
}
