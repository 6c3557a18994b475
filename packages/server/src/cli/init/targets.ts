import { locateMemory, type MemoryLocation } from '@mem-service/mcp/location';
import type { Environment } from '../../config.ts';
import { clean } from '../render/index.ts';
import { chosenMemoryText, ownMemory } from './choose.ts';
import type { InstallScope, McpClient } from './clients.ts';
import { type EarlierSetUp, earlierSetUp, isSameMemory } from './configured.ts';
import { type MemoryTarget, targetOf } from './entry.ts';
import { type Machine, shortPath } from './machine.ts';
import type { FileReceipts } from './receipt.ts';

/** The set-ups that clients have, by the name of the client. */
export type EarlierSetUps = ReadonlyMap<string, EarlierSetUp>;

export function earlierSetUps(
  chosen: readonly McpClient[],
  at: { machine: Machine; scope: InstallScope; receipts: FileReceipts },
): EarlierSetUps {
  return new Map(
    chosen.flatMap((client) => {
      const earlier = earlierSetUp(client, at);
      return earlier === undefined ? [] : [[client.name, earlier] as const];
    }),
  );
}

type TargetRequest = {
  machine: Machine;
  scope: InstallScope;
  env: Environment;
  /** Undefined where nobody has said anything: then every client keeps what it has. */
  memory: MemoryLocation | undefined;
  earlier: EarlierSetUps;
};

/** What a client is set up for. */
export type ClientTarget = { memory: MemoryLocation; target: MemoryTarget };

/** A client that is set up keeps its memory and tools where nothing else is said, and new ones join the others. */
export function targetFor(client: McpClient, request: TargetRequest): ClientTarget {
  const { machine, scope, env, earlier } = request;
  const own = earlier.get(client.name);
  const memory = request.memory ?? own?.memory ?? commonMemory(earlier) ?? unaskedMemory(machine, scope);
  const kept = own ?? [...earlier.values()][0];
  const isSame = kept !== undefined && isSameMemory(kept.memory, memory);
  const known = { ...kept?.tools, ...(isSame ? kept.access : {}), ...env };
  return { memory, target: targetOf(memory, { env: known, folder: machine.folder, scope }) };
}

function commonMemory(earlier: EarlierSetUps): MemoryLocation | undefined {
  const [first, ...others] = [...earlier.values()].map(({ memory }) => memory);
  return first && others.every((other) => isSameMemory(first, other)) ? first : undefined;
}

/** Settings of the user hold in every folder: the store of the project that happens to be here is not for them. */
const unaskedMemory = (machine: Machine, scope: InstallScope): MemoryLocation =>
  scope === 'project' ? locateMemory(machine.env, machine.folder) : ownMemory(machine);

/** Where the memory of the clients is, and whether commands in this folder use another. */
export function memoriesText(
  targets: ReadonlyMap<McpClient, ClientTarget>,
  { machine, scope }: { machine: Machine; scope: InstallScope },
): string {
  const texts = new Map<string, string[]>();
  for (const [{ title }, { memory }] of targets) {
    const text = chosenMemoryText(memory, machine);
    texts.set(text, [...(texts.get(text) ?? []), title]);
  }
  const lines = [...texts].map(([text, titles]) => (texts.size > 1 ? `${titles.join(', ')}: ${text}` : text));
  const here = locateMemory(machine.env, machine.folder);
  const isApart = [...targets.values()].some(({ memory }) => !isSameMemory(memory, here));
  if (scope === 'user' && here.by === 'found' && isApart)
    lines.push(
      `commands in this folder use ${clean(shortPath(machine, here.at))}: --store names it for the clients of every folder, mem init --project for those of this project`,
    );
  return lines.map((line) => `${line}\n`).join('');
}
