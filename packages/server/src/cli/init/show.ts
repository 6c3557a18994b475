import { clean, paint } from '../render/index.ts';
import type { Terminal } from '../terminal.ts';
import { clients, type InstallScope, type McpClient } from './clients.ts';
import { diffLines } from './diff.ts';
import type { MemoryTarget } from './entry.ts';
import { type Machine, shortPath } from './machine.ts';
import { changedFiles, type FileChange, type InstallPlan } from './plan.ts';
import type { ClientTarget } from './targets.ts';

type PlanOutput = {
  terminal: Terminal;
  machine: Machine;
  secrets: readonly string[];
  uninstall: boolean;
  scope: InstallScope;
};

/** Prints the changes, the clients already set up, and the problems. */
export function showPlan(plan: InstallPlan, chosen: readonly McpClient[], showing: PlanOutput): void {
  const { terminal, machine } = showing;
  const todo = changedFiles(plan);
  showChanges(todo, showing);
  const isTouched = ({ name }: McpClient) => todo.some(({ clients: names }) => names.includes(name));
  const isBroken = ({ title }: McpClient) => plan.problems.some(({ client }) => client === title);
  for (const client of chosen.filter((one) => !plan.skipped.includes(one) && !isTouched(one) && !isBroken(one)))
    terminal.out(`${client.title}: ${showing.uninstall ? 'nothing to take out' : 'already set up'}\n`);
  for (const { title } of plan.skipped) terminal.err(`${title} has no settings of a ${showing.scope}: left out\n`);
  for (const { client, file, message } of plan.problems)
    terminal.err(`mem: ${client}: ${clean(shortPath(machine, file))}: ${clean(message)}; left as it is\n`);
}

function showChanges(todo: readonly FileChange[], { terminal, machine, secrets }: PlanOutput): void {
  const { screen } = terminal;
  const shown = new Map<string, string>();
  for (const { file, before, after, kind, clients: names } of todo) {
    const titles = clients.filter(({ name }) => names.includes(name)).map(({ title }) => title);
    const what = after === null ? 'removes' : before === null ? 'creates' : 'changes';
    const place = clean(shortPath(machine, file));
    const texts = { before: before ?? '', after: after ?? '', hideValues: kind !== 'guide', secrets };
    const lines = diffLines(texts, screen).map((line) => `  ${line}\n`);
    // Most clients get the same guide.
    const like = shown.get(lines.join(''));
    shown.set(lines.join(''), like ?? place);
    terminal.out(`${paint(screen, 'bold', titles.join(', '))} ${what} ${place}\n`);
    terminal.out(`${like === undefined ? lines.join('') : `  the same lines as in ${like}\n`}\n`);
  }
}

/** Steps that are left to the user. */
export function notesFor(
  targets: ReadonlyMap<McpClient, ClientTarget>,
  { scope, typed }: { scope: InstallScope; typed: string },
): string {
  const lines = ['', `Restart the clients to see the memory. ${typed} doctor checks the whole.`];
  const fromEnvironment = [...targets].filter(([{ format }]) => format.variable || format.kind === 'toml');
  const titlesOf = (isMeant: (target: MemoryTarget) => boolean) =>
    fromEnvironment.flatMap(([{ title }, { target }]) => (isMeant(target) ? [title] : [])).join(', ');
  const withKey = titlesOf((target) => !('env' in target) && target.apiKey !== undefined);
  if (withKey) lines.push(`${withKey}: the key is taken from MEM_API_KEY, so set it where they are started.`);
  const onPostgres = titlesOf((target) => 'env' in target && target.env.MEM_POSTGRES_DSN !== undefined);
  if (onPostgres) lines.push(`${onPostgres}: MEM_POSTGRES_DSN is taken from the environment they are started in.`);
  if (scope === 'project')
    lines.push('These files hold on every machine: commit them to share the set-up. Memory itself stays out of git.');
  return `${lines.join('\n')}\n`;
}
