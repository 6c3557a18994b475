import { existsSync } from 'node:fs';
import { Fault, type Output } from '@mem-service/contract';
import { findSwitched, folderToSwitch, readSwitched, switchedFile } from '@mem-service/mcp/switched-branch';
import { connect } from '../connect.ts';
import { problemOf, UsageError } from '../failure.ts';
import { replaceFile } from '../init/files.ts';
import { type Machine, shortPath, thisMachine } from '../init/machine.ts';
import { type ClientConfig, readClientConfig } from '../memory.ts';
import type { OwnParts } from '../own/command.ts';
import { show } from '../render/index.ts';
import { warn } from '../terminal.ts';
import { currentBranch } from './chosen.ts';
import { isPastState } from './diff-words.ts';
import { hasState } from './state.ts';

export type SwitchRequest = {
  /** A branch, a state of one, or `-` for the one before. */
  to: string;
  creates: boolean;
  from: string | undefined;
  agent: string | undefined;
};

/** Lets the commands and clients of this folder work on a branch, which must exist. */
export async function switchBranch(parts: OwnParts, request: SwitchRequest): Promise<void> {
  const { terminal } = parts;
  const config = readClientConfig(parts);
  for (const warning of config.warnings) warn(terminal, warning);
  const machine = thisMachine(parts);
  const name = request.to === '-' ? previousBranch(machine, config) : request.to;
  const identity = { agent: request.agent, session: undefined };
  const connection = await connect(parts, config, { ...identity, creates: request.creates });
  try {
    const before = await currentBranch(connection, config);
    if (request.creates) await connection.call('branches.create', { name, from: request.from ?? before });
    else if (!(await hasState(connection, name)))
      throw noBranch(name, !isPastState(name) && (await hasState(connection, `tags/${name}`)));
    const folder = saveSwitch(machine, config, { name, before });
    const how = request.creates ? 'created and switched' : 'switched';
    terminal.out(`${how} to ${show(name)} in ${show(shortPath(machine, folder))} and below\n`);
    terminal.err(await stateNote(name, async () => JSON.parse(await connection.call('branches.read', { name }))));
  } finally {
    await connection.close();
  }
  if (config.branch?.by === 'MEM_BRANCH')
    warn(terminal, `MEM_BRANCH is ${config.branch.name}, and counts more than what a folder was switched to`);
}

function noBranch(name: string, isTag: boolean): Fault {
  const [, tag] = /^tags\/(.*)$/.exec(name) ?? [];
  if (tag !== undefined)
    return new Fault('branch_not_found', `there is no tag ${JSON.stringify(tag)}: mem tag lists them`);
  const named = `there is no branch ${JSON.stringify(name)}`;
  if (name.includes('@'))
    return new Fault(
      'branch_not_found',
      `${named}: after @ comes a place in the log or a time, as in main@1200 or main@2026-01-31T12:00:00Z`,
    );
  const todo = isTag ? `the tag is mem switch tags/${name}` : `mem branch lists them, mem switch -c ${name} creates it`;
  return new Fault('branch_not_found', `${named}: ${todo}`);
}

function previousBranch({ env, folder }: Machine, { memory }: ClientConfig): string {
  const { previous } = findSwitched(env, folder, memory) ?? {};
  if (previous) return previous;
  throw new UsageError('there is no branch to go back to: nothing was switched here');
}

type SwitchedBranch = { name: string; before: string };

/** Returns the folder that was switched. Those that are gone are dropped. */
function saveSwitch({ env, folder }: Machine, { memory }: ClientConfig, { name, before }: SwitchedBranch): string {
  const switched = folderToSwitch(memory, folder);
  const known = readSwitched(env).filter((one) => existsSync(one.folder));
  const others = known.filter((one) => one.folder !== switched || one.memory !== memory.at);
  const own = known.find((one) => !others.includes(one));
  const previous = before === name ? (own?.previous ?? null) : before;
  const folders = [...others, { folder: switched, memory: memory.at, branch: name, previous }];
  replaceFile(switchedFile(env), `${JSON.stringify({ folders }, null, 2)}\n`, 0o600);
  return switched;
}

/** Lets the folder follow its parents, its key and its agent again. */
export function dropSwitch(parts: OwnParts): void {
  const machine = thisMachine(parts);
  const { memory } = readClientConfig(parts);
  const found = findSwitched(machine.env, machine.folder, memory);
  const folders = readSwitched(machine.env).filter(
    (one) => one.folder !== found?.folder || one.memory !== found.memory,
  );
  if (found) replaceFile(switchedFile(machine.env), `${JSON.stringify({ folders }, null, 2)}\n`, 0o600);
  const { out } = parts.terminal;
  out(found ? `${show(shortPath(machine, found.folder))} is switched no longer\n` : 'nothing was switched here\n');
}

/** What can be done on it, where that is not everything. */
async function stateNote(name: string, read: () => Promise<Output<'branches.read'>>): Promise<string> {
  if (name === 'main') return '';
  try {
    const { status, is_protected } = await read();
    if (status !== 'active') return `it is ${status} and can only be read: mem reopen-branch ${name}\n`;
    return is_protected ? 'it is protected: only merges write to it\n' : '';
  } catch (error) {
    const { code } = problemOf(error);
    if (code === 'branch_not_found') return 'it is a past state and can only be read\n';
    throw error;
  }
}
