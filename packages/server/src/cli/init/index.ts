import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { hasStore, type MemoryLocation, STORE_FOLDER } from '@mem-service/mcp/location';
import { isUnusedStoreFolder, makeStoreFolder } from '../../db/store-folder.ts';
import { isAgreed } from '../ask.ts';
import type { ExitCode } from '../failure.ts';
import type { OwnParts } from '../own/command.ts';
import { clean } from '../render/index.ts';
import type { Terminal } from '../terminal.ts';
import { install, uninstall } from './apply.ts';
import { chooseMemory } from './choose.ts';
import { type ClientName, clients, type InstallScope, type McpClient } from './clients.ts';
import { secretsOf } from './entry.ts';
import { removeMadeFolders, removeStaleParts } from './files.ts';
import { type Machine, shortPath, thisMachine } from './machine.ts';
import { changedFiles, type FileChange, type InstallPlan, isSetUp, planInstall, planUninstall } from './plan.ts';
import { programsOf, sharedPrograms } from './program.ts';
import { type FileReceipts, readReceipts, writeReceipts } from './receipt.ts';
import { notesFor, showPlan } from './show.ts';
import { earlierSetUps, memoriesText, targetFor } from './targets.ts';
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
  const earlier = earlierSetUps(chosen, { machine, scope, receipts });
  const isAgain = earlier.size > 0;
  const memory = await chooseMemory({ machine, terminal, store: setting.store, ask, isAgain });
  const env = await withToolset(machine.env, setting, terminal);
  const request = { machine, scope, env, memory, earlier };
  const targets = new Map(
    chosen
      .filter((client) => client.files(machine, scope).config)
      .map((client) => [client, targetFor(client, request)]),
  );
  const here = programsOf(parts.readProcessStart());
  const programs = scope === 'project' ? sharedPrograms : here;
  const { typed } = here;
  const plan = planInstall(chosen, { targets, programs, withGuides, receipts }, setting);
  terminal.out(`${memoriesText(targets, setting)}\n`);
  const secrets = [...setting.secrets, ...[...earlier.values()].flatMap(({ access }) => secretsOf(access))];
  const hiding = { ...setting, secrets: secrets.filter((secret) => !secret.startsWith('${')) };
  showPlan(plan, chosen, hiding);
  const result = await carryOut(plan, receipts, hiding);
  if (result !== 'declined') for (const one of targets.values()) makeProjectStore(one.memory, machine);
  if (result === 'written' || result === 'failed') terminal.out(notesFor(targets, { scope, typed }));
  return result === 'failed' || plan.problems.length > 0 ? 1 : 0;
}

async function removeSetUp(chosen: readonly McpClient[], setting: InitRun): Promise<ExitCode> {
  const receipts = readReceipts(setting.machine.home);
  const { machine, scope, terminal } = setting;
  const memories = [...earlierSetUps(chosen, { machine, scope, receipts }).values()].map(({ memory }) => memory);
  const plan = planUninstall(chosen, receipts, setting);
  showPlan(plan, chosen, setting);
  const result = await carryOut(plan, receipts, setting);
  if (result === 'written') {
    removeUnusedStore(machine);
    const places = memories.filter(hasStore).map(({ at }) => clean(shortPath(machine, at)));
    for (const place of new Set(places)) terminal.out(`memory stays at ${place}\n`);
  }
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
  const made = todo.map(({ file }) => ({ file, folder: receipts[file]?.made_folder }));
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
  if (setting.uninstall) {
    removeReceipts(receipts, names);
    // A folder made for the first of several files is empty only when the last of them is gone.
    for (const { file, folder } of made) removeMadeFolders(file, folder);
  }
  writeReceipts(machine.home, receipts);
  return failed;
}

/** Removes these clients from the receipts; a shared file stays listed for the others. */
function removeReceipts(receipts: FileReceipts, names: readonly string[] | undefined): void {
  for (const receipt of Object.values(receipts))
    receipt.clients = receipt.clients.filter((name) => !names?.includes(name));
}
