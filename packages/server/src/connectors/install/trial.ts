import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ConnectorVariables } from '../../config-connectors.ts';
import { type BuiltIn, builtInManifest } from '../built-in.ts';
import { isHandled } from '../declared-types.ts';
import { factsOf, variablesOf } from '../facts.ts';
import { loadInProcess } from '../in-process.ts';
import { loadInThread } from '../in-thread.ts';
import { readConnector } from '../installed-connectors.ts';
import { MANIFEST_FILE } from '../manifest.ts';
import type { DeliveryName, LoadedConnector, Transformed } from '../types.ts';
import { InstallError } from './limits.ts';

export type TrialPlace = {
  folder: string;
  builtIns: readonly BuiltIn[];
  variables: ConnectorVariables;
  cwd: string;
  maxValueBytes: number;
  /** What the connector prints. */
  onOutput: (text: string) => void;
};

export type TrialDelivery = Partial<DeliveryName> & {
  payload: unknown;
  headers: Record<string, string>;
  received_at: string;
};

export type TrialReport = DeliveryName & {
  connector: string;
  reply?: unknown;
  /** A service would keep the event as it came. */
  is_kept_raw: boolean;
  transformed: Transformed;
};

/** Runs a payload through a connector as the service would, and stores nothing. */
export async function tryConnector(given: string, sent: TrialDelivery, place: TrialPlace): Promise<TrialReport> {
  const connector = await load(given, place);
  try {
    const { payload, headers, received_at } = sent;
    const named = await connector.identify(payload, { body: Buffer.from(JSON.stringify(payload)), headers });
    const { event_type = named.event_type, id = named.id } = sent;
    const reply = await connector.reply(payload);
    const delivered = [{ event_type, id, payload, headers, received_at }];
    const [transformed = { results: [] }] = await connector.transform(delivered, { again: true });
    const { name, event_types } = connector.manifest;
    const results = 'failure' in transformed ? [] : transformed.results;
    const isRaw = results.length === 0 && !isHandled(event_types, event_type);
    const isAllRaw = results.length > 0 && results.every((result) => result.operation === 'write' && result.raw);
    return {
      connector: name,
      event_type,
      id,
      ...(reply ? { reply } : {}),
      is_kept_raw: !reply && (isRaw || isAllRaw),
      transformed,
    };
  } finally {
    await connector.close?.();
  }
}

type TriedConnector = LoadedConnector & { close?: () => Promise<void> };

async function load(given: string, place: TrialPlace): Promise<TriedConnector> {
  const limits = { max_value_bytes: place.maxValueBytes };
  for (const builtIn of place.builtIns) {
    const manifest = await builtInManifest(builtIn);
    if (manifest.name !== given) continue;
    const options = { variables: variablesOf(manifest, place.variables), config: manifest.config };
    return loadInProcess(factsOf(manifest, place.variables), new builtIn.connector(options), limits);
  }
  const found = readConnector(folderOf(given, place));
  if ('problems' in found) throw new InstallError(found.problems.join('\n'));
  const { manifest, entry } = found;
  return loadInThread(factsOf(manifest, place.variables), {
    ...entry,
    name: manifest.name,
    options: { variables: variablesOf(manifest, place.variables), config: manifest.config },
    batch_size: manifest.config.batch_size,
    ...limits,
    onWarning: () => {},
    onOutput: place.onOutput,
  });
}

function folderOf(given: string, { folder, cwd }: TrialPlace): string {
  const path = resolve(cwd, given);
  if (existsSync(join(path, MANIFEST_FILE))) return path;
  const installed = join(folder, given);
  if (/^[a-z0-9-]+$/.test(given) && existsSync(installed)) return installed;
  throw new InstallError(`there is no connector ${given}, and no folder ${path} with a ${MANIFEST_FILE}`);
}
