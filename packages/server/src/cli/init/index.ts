import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type MemoryLocation, STORE_FOLDER } from '@mem-service/mcp/location';
import { isUnusedStoreFolder, makeStoreFolder } from '../../db/store-folder.ts';
import { isAgreed } from '../ask.ts';
import type { ExitCode } from '../failure.ts';
import type { OwnParts } from '../own/command.ts';
import { clean } from '../render/index.ts';
import type { Terminal } from '../terminal.ts';
import { install, uninstall } from './apply.ts';
import { chooseMemory, chosenMemoryText } from './choose.ts';
import { type ClientName, clients, type InstallScope, type McpClient } from './clients.ts';
import { secretsOf, targetOf } from './entry.ts';
import { removeStaleParts } from './files.ts';
import { type Machine, shortPath, thisMachine } from './machine.ts';
import {
  changedFiles,
  type FileChange,
  hooksFor,
  type InstallPlan,
  isSetUp,
  planInstall,
  planUninstall,
} from './plan.ts';
import { programsOf, sharedPrograms } from './program.ts';
import { type FileReceipts, readReceipts, writeReceipts } from './receipt.ts';
import { notesFor, showPlan } from './show.ts';
import { withToolset } from './toolset.ts';

export type InitOptions = {
  clients: readonly ClientName[] | undefined;
  scope: InstallScope;
  /** Where the clients are to keep memory. */
  store: string | undefined;
  uninstall: boolean;
  /** The tools that clients are offered; undefined where nothing was said. */
  toolset: string | undefined;
  withGuides: boolean;
  dryRun: boolean;
  yes: boolean;
};

export type InitRun = InitOptions & { machine: Machine; terminal: Terminal; secrets: readonly string[] };

/** Sets up clients, or removes the set-up. */
export async function runInit(options: InitOptions, parts: OwnParts): Promise<ExitCode> {
  const { terminal } = parts;
  const machine = thisMachine(parts);
  const setting = { ...options, machine, terminal, secrets: secretsOf(machine.env) };
  const chosen = chooseClients(setting);
  if (chosen.length === 0) return sayNoneFound(setting);
  return options.uninstall ? removeSetUp(chosen, setting) : setUp(chosen, setting, parts);
}

async function setUp(chosen: readonly McpClient[], setting: InitRun, parts: OwnParts): Promise<ExitCode> {
  const { terminal, machine, scope, withGuides } = setting;
  const receipts = readReceipts(machine.home);
  const ask = !setting.yes && !setting.dryRun;
  const memory = await chooseMemory({ machine, terminal, store: setting.store, ask });
  const env = await withToolset(machine.env, setting, terminal);
  const target = targetOf(memory, { env, folder: machine.folder, scope });
  const here = programsOf(parts.readProcessStart());
  const programs = scope === 'project' ? sharedPrograms : here;
  const { typed } = here;
  const request = { target, programs, hooks: hooksFor(programs, target), withGuides, receipts };
  const plan = planInstall(chosen, request, setting);
  terminal.out(`${chosenMemoryText(memory, machine)}\n\n`);
  showPlan(plan, chosen, setting);
  const result = await carryOut(plan, receipts, setting);
  if (result !== 'declined') makeProjectStore(memory, machine);
  if (result === 'written' || result === 'failed') terminal.out(notesFor(chosen, { target, scope, typed }));
  return result === 'failed' || plan.problems.length > 0 ? 1 : 0;
}

async function removeSetUp(chosen: readonly McpClient[], setting: InitRun): Promise<ExitCode> {
  const receipts = readReceipts(setting.machine.home);
  const plan = planUninstall(chosen, receipts, setting);
  showPlan(plan, chosen, setting);
  const result = await carryOut(plan, receipts, setting);
  if (result === 'written') removeUnusedStore(setting.machine);
  return result === 'failed' || plan.problems.length > 0 ? 1 : 0;
}

/** What became of a plan. A dry run is declined. */
type PlanResult = 'unchanged' | 'declined' | 'written' | 'failed';

/** Writes the planned files, after asking. */
async function carryOut(plan: InstallPlan, receipts: FileReceipts, setting: InitRun): Promise<PlanResult> {
  const todo = changedFiles(plan);
  if (setting.dryRun) return 'declined';
  for (const { file } of plan.changes) removeStaleParts(file);
  if (todo.length === 0) return 'unchanged';
  if (!(await isConfirmed(setting))) {
    setting.terminal.err('nothing was written\n');
    return 'declined';
  }
  return write(todo, receipts, setting) ? 'failed' : 'written';
}

function chooseClients({ clients: names, machine, scope, uninstall }: InitRun): McpClient[] {
  if (names) return clients.filter(({ name }) => names.includes(name));
  if (!uninstall) return clients.filter((client) => client.isInstalled(machine) && client.files(machine, scope).config);
  const receipts = readReceipts(machine.home);
  return clients.filter((client) => {
    const { config, hooks, guides } = client.files(machine, scope);
    const files = [config, hooks, ...guides.map(({ file }) => file)];
    return (
      isSetUp(client, machine, scope) || files.some((file) => file && receipts[file]?.clients.includes(client.name))
    );
  });
}

/** The folder is what commands find the store of a project by. Elsewhere the first write makes it. */
function makeProjectStore({ at }: MemoryLocation, { folder }: Machine): void {
  if (at === join(folder, STORE_FOLDER)) makeStoreFolder(at);
}

/** A store that was never written to goes with the set-up. */
function removeUnusedStore({ folder }: Machine): void {
  const at = join(folder, STORE_FOLDER);
  if (isUnusedStoreFolder(at)) rmSync(at, { recursive: true });
}

function sayNoneFound({ uninstall, terminal }: InitRun): ExitCode {
  if (uninstall) {
    terminal.out('no client is set up\n');
    return 0;
  }
  const titles = clients.map(({ title, name }) => `${title} (${name})`);
  terminal.err(`mem: no client was found. Name one with --client:\n${titles.map((title) => `  ${title}\n`).join('')}`);
  return 1;
}

async function isConfirmed({ yes, terminal }: InitRun): Promise<boolean> {
  const without = 'there is no terminal to ask on: add --yes to write this, or --dry-run to only look';
  return yes || isAgreed(terminal, 'Write this?', without);
}

/** Handles each file on its own: a failure does not stop the others, and written files keep their receipts. */
function write(todo: readonly FileChange[], receipts: FileReceipts, setting: InitRun): boolean {
  const { terminal, machine, secrets, clients: names } = setting;
  let failed = false;
  for (const change of todo) {
    const { file } = change;
    try {
      const writing = { receipt: receipts[file], secrets, now: new Date() };
      if (setting.uninstall) uninstall(change, writing);
      else receipts[file] = install(change, writing);
      if (setting.uninstall) delete receipts[file];
      const { backup } = receipts[file] ?? {};
      const done = change.after === null ? 'removed' : 'wrote';
      terminal.out(
        `${done} ${clean(shortPath(machine, file))}${backup ? ` (before: ${clean(shortPath(machine, backup))})` : ''}\n`,
      );
    } catch (error) {
      failed = true;
      terminal.err(`mem: ${clean(shortPath(machine, file))}: ${clean((error as Error).message)}\n`);
    }
  }
  if (setting.uninstall) removeReceipts(receipts, names);
  writeReceipts(machine.home, receipts);
  return failed;
}

/** Removes these clients from the receipts; a shared file stays listed for the others. */
function removeReceipts(receipts: FileReceipts, names: readonly string[] | undefined): void {
  for (const receipt of Object.values(receipts))
    receipt.clients = receipt.clients.filter((name) => !names?.includes(name));
}
