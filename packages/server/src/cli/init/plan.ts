import { hasBlock, removeBlock, setBlock } from './block.ts';
import { type ClaudeHookCommands, hookPaths, removeHooks, setHooks } from './claude-hooks.ts';
import type { ClientFiles, GuideFile, InstallScope, McpClient } from './clients.ts';
import { entryOf, type MemoryTarget } from './entry.ts';
import { hashOf, readText, refuseLinkOut } from './files.ts';
import { guideOf } from './guide.ts';
import { parseJsonc, valueAt } from './jsonc.ts';
import { removeJson } from './jsonc-edit.ts';
import type { Machine } from './machine.ts';
import { commandLine, type Programs } from './program.ts';
import type { FileReceipt, FileReceipts } from './receipt.ts';
import { removeEntry, setEntry, shownEntry } from './server-entry.ts';
import type { ClientTarget } from './targets.ts';
import { readToml } from './toml.ts';

/** The content of one file before and after; `after` is null if the file is to be removed. */
export type FileChange = {
  file: string;
  clients: string[];
  kind: 'config' | 'hooks' | 'guide';
  before: string | null;
  after: string | null;
  made: string[][];
};

/** What cannot be set up for a client, and why. */
export type InstallProblem = { client: string; file: string; message: string };

export type InstallPlan = { changes: FileChange[]; problems: InstallProblem[]; skipped: McpClient[] };

type FileEdit = {
  file: string;
  kind: FileChange['kind'];
  containers: readonly (readonly string[])[];
  edit(text: string): string;
};

type PlanPlace = { machine: Machine; scope: InstallScope };

/** Collects the edits of each client's files; two clients may share a file. */
function planOf(
  clients: readonly McpClient[],
  { machine, scope }: PlanPlace,
  partsOf: (client: McpClient) => FileEdit[] | undefined,
): InstallPlan {
  const plan: InstallPlan = { changes: [], problems: [], skipped: [] };
  for (const client of clients) {
    const parts = partsOf(client);
    if (!parts) plan.skipped.push(client);
    for (const part of parts ?? []) {
      const edit = (text: string) => {
        if (scope === 'project') refuseLinkOut(machine.folder, part.file);
        return part.edit(text);
      };
      addChange(plan, client, { ...part, edit });
    }
  }
  return plan;
}

function addChange(
  { changes, problems }: InstallPlan,
  client: McpClient,
  { file, kind, containers, edit }: FileEdit,
): void {
  try {
    const known = changes.find((change) => change.file === file);
    const before = known ? known.before : (readText(file) ?? null);
    const text = (known ? known.after : before) ?? '';
    const after = edit(text);
    check(file, after);
    const made = containers.filter((path) => isMissing(text, path)).map((path) => [...path]);
    if (known) Object.assign(known, { after, clients: [...known.clients, client.name] });
    else changes.push({ file, clients: [client.name], kind, before, after, made });
  } catch (error) {
    problems.push({ client: client.title, file, message: (error as Error).message });
  }
}

/** The edited text must still be valid for the client. */
function check(file: string, text: string): void {
  if (text.trim() === '') return;
  if (/\.json$/.test(file)) parseJsonc(text);
  if (/\.toml$/.test(file)) readToml(text);
}

const isMissing = (text: string, path: readonly string[]) => valueAt(text, path) === undefined;

export type InstallRequest = {
  targets: ReadonlyMap<McpClient, ClientTarget>;
  programs: Programs;
  withGuides: boolean;
  receipts: FileReceipts;
};

export function planInstall(clients: readonly McpClient[], wanted: InstallRequest, at: PlanPlace): InstallPlan {
  return planOf(clients, at, (client) => {
    const places = client.files(at.machine, at.scope);
    const { config, hooks } = places;
    const { target } = wanted.targets.get(client) ?? {};
    if (config === undefined || target === undefined) return undefined;
    const entry = entryOf(client, target, wanted.programs.mcp);
    const commands = hooksFor(wanted.programs, target);
    const isJson = client.format.kind === 'json';
    return [
      {
        file: config,
        kind: 'config',
        containers: isJson ? [client.format.servers] : [],
        edit: (text) => setEntry(client, text, { wanted: entry, isKnown: config in wanted.receipts }),
      },
      ...(wanted.withGuides
        ? guidesOf(places, hooks === undefined ? undefined : (text) => setHooks(text, commands))
        : []),
    ];
  });
}

function guidesOf({ guides, hooks }: ClientFiles, editHooks: ((text: string) => string) | undefined): FileEdit[] {
  return [
    ...(hooks && editHooks ? [{ file: hooks, kind: 'hooks' as const, containers: hookPaths, edit: editHooks }] : []),
    ...guides.map((guide) => ({
      file: guide.file,
      kind: 'guide' as const,
      containers: [],
      edit: (text: string) => setGuide(guide, text),
    })),
  ];
}

function setGuide({ kind }: GuideFile, text: string): string {
  const { head, content } = guideOf(kind);
  if (head !== '' && text.trim() !== '' && !hasBlock(text))
    throw new Error('the file already exists and was not written by mem init');
  return setBlock(text.trim() === '' ? head : text, content);
}

/** Removes what was set up; everything else stays. */
export function planUninstall(clients: readonly McpClient[], receipts: FileReceipts, at: PlanPlace): InstallPlan {
  const names = clients.map(({ name }) => name as string);
  const plan = planOf(clients, at, (client) => {
    const { config, hooks, guides } = client.files(at.machine, at.scope);
    if (config === undefined) return undefined;
    const part = (file: string, kind: FileChange['kind'], edit: FileEdit['edit']): FileEdit => ({
      file,
      kind,
      containers: [],
      edit,
    });
    const isJson = client.format.kind === 'json';
    return [
      part(config, 'config', (text) =>
        emptied(
          removeEntry(client, text, config in receipts),
          isJson ? [[...client.format.servers]] : [],
          receipts[config],
        ),
      ),
      ...(hooks
        ? [
            part(hooks, 'hooks', (text) =>
              emptied(text.trim() === '' ? text : removeHooks(text), hookPaths, receipts[hooks]),
            ),
          ]
        : []),
      ...guides
        .filter(({ file }) => (receipts[file]?.clients ?? []).every((name) => names.includes(name)))
        .map(({ file, kind }) => part(file, 'guide', (text) => withoutHead(removeBlock(text), kind))),
    ];
  });
  return { ...plan, changes: plan.changes.map((change) => restoreOriginal(change, receipts[change.file])) };
}

const withoutHead = (text: string, kind: GuideFile['kind']): string => {
  const { head } = guideOf(kind);
  return head !== '' && text.trim() === head.trim() ? '' : text;
};

/** Removes objects and lists that were created for us and are now empty. */
function emptied(text: string, paths: readonly (readonly string[])[], receipt: FileReceipt | undefined): string {
  const isMade = (path: readonly string[]) => receipt?.made.some((made) => made.join('\n') === path.join('\n'));
  return paths.filter(isMade).reduce((edited, path) => {
    const value = valueAt(edited, path);
    const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
    return isEmpty ? removeJson(edited, path) : edited;
  }, text);
}

/** If the file has not been changed since, restores it byte for byte. */
function restoreOriginal(change: FileChange, receipt: FileReceipt | undefined): FileChange {
  const { before, after } = change;
  if (before === null || after === null || before === after || !receipt) return change;
  const isUntouched = hashOf(before) === receipt.after;
  if (receipt.before === null && (isUntouched || /^\s*(\{\s*\})?\s*$/.test(after))) return { ...change, after: null };
  const original = receipt.backup === null || !isUntouched ? undefined : readText(receipt.backup);
  return original !== undefined && hashOf(original) === receipt.before ? { ...change, after: original } : change;
}

export const changedFiles = ({ changes }: InstallPlan): FileChange[] =>
  changes.filter(({ before, after }) => before !== after && !(before === null && after === ''));

/** Whether a client has an entry of ours in this scope. */
export function isSetUp(client: McpClient, machine: Machine, scope: InstallScope): boolean {
  const { config } = client.files(machine, scope);
  try {
    return config !== undefined && shownEntry(client, readText(config) ?? '') !== undefined;
  } catch {
    return false;
  }
}

/** Passes the location of the memory to a hook by flags, because its environment is that of the client. */
export function hooksFor({ mem }: Programs, target: MemoryTarget): ClaudeHookCommands {
  const where =
    'env' in target
      ? target.env.MEM_DATA_DIR
        ? ['--data-dir', target.env.MEM_DATA_DIR]
        : []
      : ['--url', target.url.replace(/\/mcp$/, '')];
  return { SessionStart: commandLine(mem, 'hook', 'session-start', ...where), Stop: commandLine(mem, 'hook', 'stop') };
}
