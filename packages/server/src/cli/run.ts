import type { LinesName, OperationName, StreamName } from '@mem-service/contract';
import { mergedChanges, mergedHint, wouldConflict } from './branch/after-merge.ts';
import { currentBranch } from './branch/chosen.ts';
import { explainRefusal } from './branch/explain.ts';
import type { Command } from './commands.ts';
import { agentOr, connect, type ServiceConnection } from './connect.ts';
import { eraseIfAgreed } from './erase.ts';
import type { ExitCode } from './failure.ts';
import { commandHelp } from './help.ts';
import { explainMissing, explainProposal, hintAfter } from './hints.ts';
import { readInput } from './input.ts';
import { type ClientConfig, readClientConfig } from './memory.ts';
import { callAll } from './pages.ts';
import { isOn, type ParsedFlags, parseArgs } from './parse.ts';
import type { CliParts } from './parts.ts';
import { refuseEmpty, refuseNothing } from './quarantine.ts';
import { problemCount, readAnswer, render } from './render/index.ts';
import { printEvents } from './stream.ts';
import { type Terminal, warn } from './terminal.ts';
import { fullTraceId } from './trace-ids.ts';

const ONLY_HOSTED = 'an account works only where mem serve runs with MEM_MODE=hosted';

/** Runs one operation, from the words of the command line to the printed answer. */
export async function runCommand(
  command: Command,
  args: readonly string[],
  parts: CliParts & { terminal: Terminal },
): Promise<ExitCode> {
  const { terminal } = parts;
  const given = parseArgs(command, args);
  if (isOn(given, 'help')) {
    terminal.out(commandHelp(command));
    return 0;
  }
  const config = readClientConfig(parts);
  const typed = await readInput(command, given, { stdin: terminal.stdin, env: parts.readEnvironment() });
  for (const warning of config.warnings) warn(terminal, warning);
  const agent = agentOr(given.get('agent')?.[0], config);
  const connection = await connect(parts, config, {
    agent,
    session: given.get('session')?.[0],
    creates: !['read', 'none'].includes(command.operation.effect) && typed.dry_run !== true,
  });
  const how = { terminal, json: isOn(given, 'json'), failOnFail: isOn(given, 'fail-on-fail') };
  let text: string | undefined;
  let hint = '';
  let details = '';
  let input = typed;
  try {
    input = withOwnName(await onCurrentBranch(connection, { command, input: typed, config }), { command, agent });
    if (command.operation.stream) await printEvents(connection, { name: command.name as StreamName, input }, how);
    else if (command.operation.lines)
      for await (const line of connection.lines(command.name as LinesName, input)) terminal.out(`${line}\n`);
    else if (command.operation.erases && input.dry_run !== true && !isOn(given, 'yes'))
      text = await eraseIfAgreed(connection, command, { input, ...how });
    else {
      if (command.name === 'quarantine.create') await refuseEmpty(connection, input);
      text = await ask(connection, command, { given, input });
      if (command.name === 'quarantine.trace') refuseNothing(text, input);
    }
    if (text !== undefined && !how.json) {
      const answered = { name: command.name, text };
      hint = (await hintAfter(connection, { command, input, text })) + mergedHint(answered, config);
      details = await mergedChanges(connection, { ...answered, screen: terminal.screen });
    }
  } catch (error) {
    if (how.json) throw error;
    const refused = { command, input };
    throw await explainMissing(connection, refused, explainProposal(refused, explainRefusal(command, input, error)));
  } finally {
    await connection.close();
  }
  const code = text === undefined ? 0 : print(command, text, how);
  terminal.out(details);
  terminal.err(hint);
  if (command.name === 'accounts.create' && config.client.url === undefined && !config.hosted)
    warn(terminal, ONLY_HOSTED);
  return code;
}

type TypedCommand = { command: Command; input: Record<string, unknown>; config: ClientConfig };

/** Where the branch is not given that a command is about, it is the current one. */
async function onCurrentBranch(connection: ServiceConnection, { command, input, config }: TypedCommand) {
  const { current } = command.operation.cli ?? {};
  if (current === undefined || current in input) return input;
  return { ...input, [current]: await currentBranch(connection, config) };
}

function withOwnName(input: Record<string, unknown>, { command, agent }: { command: Command; agent: string }) {
  const { self } = command.operation.cli ?? {};
  return self === undefined ? input : { [self]: agent, ...input };
}

type CommandCall = { given: ParsedFlags; input: Record<string, unknown> };

const VERIFICATIONS: readonly OperationName[] = ['entries.verify', 'traces.verify', 'audit.verify'];
const isVerification = (name: OperationName) => VERIFICATIONS.includes(name);

async function ask(connection: ServiceConnection, { name }: Command, question: CommandCall): Promise<string> {
  const { given } = question;
  const input = await withFullIds(connection, question.input);
  // A report on the first page only would call the rest intact without checking it.
  const whole = isVerification(name) && !given.has('limit') && !given.has('cursor');
  return isOn(given, 'all') || whole ? callAll(connection, name, input) : connection.call(name, input);
}

/** Ids of traces may be given as lists show them. */
async function withFullIds(connection: ServiceConnection, input: Record<string, unknown>) {
  const { trace_id, trace_ids } = input;
  const fullId = (id: unknown) => fullTraceId(connection, String(id));
  if (typeof trace_id === 'string') return { ...input, trace_id: await fullId(trace_id) };
  if (Array.isArray(trace_ids)) return { ...input, trace_ids: await Promise.all(trace_ids.map(fullId)) };
  return input;
}

const shownOnce = (count: number): string =>
  count === 1 ? 'is shown this once: keep it now' : 'are shown this once: keep them now';

function print(
  { name, operation }: Command,
  text: string,
  { terminal, json, failOnFail }: { terminal: Terminal; json: boolean; failOnFail: boolean },
): ExitCode {
  const answer = readAnswer(name, text);
  if (json) terminal.out(`${text}\n`);
  else {
    const { out, note } = render(name, answer, terminal.screen);
    terminal.out(out);
    terminal.err(note);
    // Secrets that the service keeps only the hash of.
    const secrets = operation.once?.filter((member) => typeof answer[member] === 'string') ?? [];
    if (secrets.length > 0) terminal.err(`the ${secrets.join(' and the ')} ${shownOnce(secrets.length)}\n`);
  }
  if (failOnFail && answer.status === 'failed') return 1;
  return wouldConflict(answer) || (isVerification(name) && problemCount(answer) > 0) ? 1 : 0;
}
