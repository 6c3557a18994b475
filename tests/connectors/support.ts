import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import { type HostOptions, openConnectors } from '../../packages/server/src/connectors/host.ts';
import type {
  ConnectorHost,
  InboundEvent,
  LoadedConnector,
  RawDelivery,
} from '../../packages/server/src/connectors/types.ts';

const left: (() => unknown)[] = [];
afterEach(async () => {
  for (const clear of left.splice(0).reverse()) await clear();
});

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mem-connectors-'));
  left.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A manifest with the given fields in place of its own; a field that is undefined is left out. */
export function manifestText(name: string, fields: Record<string, unknown> = {}): string {
  const all = {
    name,
    version: '1.0.0',
    description: 'for tests',
    entry_point: 'transform:Tested',
    webhook: { signature_header: 'X-Signature', signature_algorithm: 'hmac-sha256' },
    default_entity_path: `tested/${name}`,
    event_types: ['*'],
    ...fields,
  };
  // JSON is YAML.
  return Object.entries(all)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => `${field}: ${JSON.stringify(value)}\n`)
    .join('');
}

export type ConnectorFiles = { manifest?: Record<string, unknown>; files?: Record<string, string> };

/** Puts a connector with this class into a folder. */
export function writeConnector(folder: string, classText: string, { manifest = {}, files = {} }: ConnectorFiles = {}) {
  const name = String(manifest.name ?? folder.split('/').at(-1));
  const all = { 'connector.yaml': manifestText(name, manifest), 'transform.mjs': classText, ...files };
  for (const [file, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

/** A class with this body of `transform`, and other methods. */
export const classWith = (transform: string, others = '') =>
  `export class Tested {\n  constructor(options) { this.options = options; }\n  transform(event) {\n    ${transform}\n  }\n  ${others}\n}\n`;

export const ECHO = `return [{ operation: 'write', entity_path: 'a', key: event.id, value: event.payload }];`;

export type OpenedHost = ConnectorHost & { warnings: string[]; get(name: string): LoadedConnector };

export async function openHost(folder: string, options: Partial<HostOptions> = {}): Promise<OpenedHost> {
  const warnings: string[] = [];
  const host = await openConnectors({
    folder,
    variables: {},
    builtIns: [],
    onWarning: (warning) => warnings.push(warning),
    ...options,
    // A machine with much to do may take long to start a thread.
    threadLimits: { wait_ms: 20_000, transform_ms: 10_000, ...options.threadLimits },
  });
  left.push(() => host.close());
  const get = (name: string) => {
    const found = host.connectors.get(name);
    if (!found) throw new Error(`${name} was not loaded: ${warnings.join('; ')}`);
    return found;
  };
  return { ...host, warnings, get };
}

/** A host with one connector of this class. */
export async function openTested(classText: string, options: Partial<HostOptions> & ConnectorFiles = {}) {
  const { manifest, files, ...rest } = options;
  const folder = newFolder();
  writeConnector(join(folder, 'tested'), classText, { ...(manifest ? { manifest } : {}), ...(files ? { files } : {}) });
  const host = await openHost(folder, rest);
  return { host, folder, tested: host.get('tested') };
}

export const event = (id: string, payload: unknown = {}, event_type = 'thing.changed'): InboundEvent => ({
  event_type,
  payload,
  headers: {},
  id,
  received_at: '2026-01-01T00:00:00.000Z',
});

export const delivery = (payload: unknown, headers: Record<string, string> = {}): RawDelivery => ({
  body: Buffer.from(JSON.stringify(payload)),
  headers,
});
