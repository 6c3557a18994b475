import { describeLocation, locateMemory } from '@mem-service/mcp/location';
import type { ExitCode } from '../failure.ts';
import { thisMachine } from '../init/machine.ts';
import { type ClientConfig, findClientConfig } from '../memory.ts';
import type { OwnParts } from '../own/command.ts';
import { type Colour, clean, counted, pad, paint } from '../render/index.ts';
import { isTracked, untrackCommand } from '../tracked.ts';
import { checkStoreAdmission } from './admitted.ts';
import { type Check, type CheckLevel, failure, ok, warning } from './check.ts';
import { checkClients } from './clients.ts';
import { checkModels } from './models.ts';
import { checkServer } from './server.ts';
import { checkStore } from './store.ts';

const LEAST_NODE = [20, 19] as const;

export async function runDoctor(parts: OwnParts, json: boolean): Promise<ExitCode> {
  const checks = [checkNode(process.versions.node), ...(await checkSettings(parts)), ...clientChecks(parts)];
  const count = (level: CheckLevel) => checks.filter((check) => check.level === level).length;
  if (json) parts.terminal.out(`${JSON.stringify({ checks, failed: count('fail'), warnings: count('warn') })}\n`);
  else show(checks, parts);
  return count('fail') > 0 ? 1 : 0;
}

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNew = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
  return isNew ? ok('node', version) : failure('node', version, `install Node ${LEAST_NODE.join('.')} or newer`);
}

const cureOf = (text: string): string =>
  /^MEM_\w+ without (?<missing>MEM_\w+): /.exec(text)?.groups?.missing?.replace(/^/, 'set ') ??
  'correct the variable, or unset it';

/** Without valid settings nothing else can be checked. */
async function checkSettings(parts: OwnParts): Promise<Check[]> {
  let config: ClientConfig;
  try {
    config = findClientConfig(parts);
  } catch (error) {
    return (error as Error).message
      .split('\n')
      .map((line) => failure('settings', line, 'correct the variable, or unset it'));
  }
  const problem = config.warnings.map((text) => warning('settings', text, cureOf(text)));
  const { url } = config.client;
  const { refusal } = config.memory;
  if (refusal !== undefined)
    return [
      ok('memory', describeLocation(config.memory)),
      failure('store', refusal, 'put that right, or set MEM_DATA_DIR to another folder'),
    ];
  return [
    ...(problem.length > 0 ? problem : [ok('settings', 'read')]),
    ok('memory', describeLocation(config.memory)),
    ...(url === undefined
      ? [
          ...(await checkStore(parts, config)),
          ...(await checkTracked(config)),
          checkStoreAdmission(config),
          ...checkModels(await parts.inspectModels(config)),
        ]
      : await checkServer(url, config.client.apiKey)),
  ];
}

async function checkTracked({ memory }: ClientConfig): Promise<Check[]> {
  const todo = `${untrackCommand(memory)}, and commit that; what was pushed stays in the history`;
  return (await isTracked(memory))
    ? [warning('git', 'the repository holds the store: whoever gets it, gets the memory', todo)]
    : [];
}

function clientChecks(parts: OwnParts): Check[] {
  const machine = thisMachine(parts);
  return checkClients({ machine, memory: locateMemory(machine.env, machine.folder) });
}

const MARKS: Readonly<Record<CheckLevel, readonly [mark: string, colour: Colour]>> = {
  ok: ['ok', 'green'],
  warn: ['warn', 'yellow'],
  fail: ['FAIL', 'red'],
};

function show(checks: readonly Check[], { terminal }: OwnParts): void {
  const { screen } = terminal;
  const width = Math.max(...checks.map(({ name }) => name.length));
  for (const { name, level, found, todo } of checks) {
    const [mark, colour] = MARKS[level];
    terminal.out(`${paint(screen, colour, pad(mark, 4))}  ${pad(name, width)}  ${clean(found)}\n`);
    if (todo !== undefined) terminal.out(`${' '.repeat(width + 8)}-> ${clean(todo)}\n`);
  }
  const failed = checks.filter(({ level }) => level === 'fail').length;
  const warned = checks.filter(({ level }) => level === 'warn').length;
  const all =
    failed + warned === 0
      ? 'all is well'
      : [failed > 0 ? `${failed} failed` : '', warned > 0 ? counted(warned, 'warning') : ''].filter(Boolean).join(', ');
  terminal.out(`\n${counted(checks.length, 'check')}: ${all}\n`);
}
