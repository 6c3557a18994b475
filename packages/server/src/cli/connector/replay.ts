import type { OperationName } from '@mem-service/contract';
import { commands } from '../commands.ts';
import { connect, type ServiceConnection } from '../connect.ts';
import type { ExitCode } from '../failure.ts';
import { readClientConfig } from '../memory.ts';
import { identityOf, type OwnParts } from '../own/command.ts';
import { callAll } from '../pages.ts';
import { isOn, type ParsedFlags } from '../parse.ts';
import { clean, counted } from '../render/index.ts';

const commandOf = (name: OperationName) => {
  const found = commands.find((command) => command.name === name);
  if (!found) throw new Error(`there is no operation ${name}`);
  return found;
};

/** Transforms an event again, or all, or lists those that failed. */
export async function replay(letter: string, given: ParsedFlags, parts: OwnParts): Promise<ExitCode> {
  const flags = ['agent', 'session'].flatMap((flag) => (given.get(flag) ?? []).flatMap((text) => [`--${flag}`, text]));
  if (isOn(given, 'json')) flags.push('--json');
  if (letter !== '' || isOn(given, 'all')) return replayLetters(letter, given, parts);
  return (await parts.runCommand(commandOf('dead_letters.list'), ['--all', ...flags])) as ExitCode;
}

type Replayed = { replayed: boolean; letter_id: string; reason: string | null };

/** One of them, or all. Fails where one could not be transformed. */
async function replayLetters(letter: string, given: ParsedFlags, parts: OwnParts): Promise<ExitCode> {
  const { terminal } = parts;
  const connection = await connect(parts, readClientConfig(parts), { ...identityOf(given), creates: true });
  const done: Replayed[] = [];
  try {
    for (const letter_id of letter === '' ? await allLetters(connection) : [letter])
      done.push(JSON.parse(await connection.call('dead_letters.replay', { letter_id })));
  } finally {
    await connection.close();
  }
  const failed = done.filter(({ replayed }) => !replayed);
  if (isOn(given, 'json')) terminal.out(`${JSON.stringify(letter === '' ? { replayed: done } : done[0])}\n`);
  else {
    for (const { letter_id, reason } of failed) terminal.out(`${letter_id} failed again: ${clean(reason ?? '')}\n`);
    terminal.out(`${counted(done.length - failed.length, 'event')} of ${done.length} transformed\n`);
  }
  return failed.length > 0 ? 1 : 0;
}

async function allLetters(connection: ServiceConnection): Promise<string[]> {
  const { dead_letters } = JSON.parse(await callAll(connection, 'dead_letters.list', {}));
  return (dead_letters as Replayed[]).map(({ letter_id }) => letter_id);
}
