import { VERSION } from '../version.ts';
import { CONFIG_DEFAULTS, manifestFields } from './manifest-fields.ts';
import type { Manifest } from './types.ts';
import { type ManifestFault, YamlFile } from './yaml-fields.ts';

export type { ManifestFault } from './yaml-fields.ts';

export const MANIFEST_FILE = 'connector.yaml';
const MAX_MANIFEST_BYTES = 64 * 1024;
const DEFAULT_PAYLOAD_BYTES = 1_048_576;

export type ReadManifest = { manifest: Manifest } | { faults: ManifestFault[] };

/** Reads `connector.yaml`: with its defaults, or with everything that is wrong with it. `version` is that of this service. */
export function readManifest(text: string, version: string = VERSION): ReadManifest {
  if (Buffer.byteLength(text) > MAX_MANIFEST_BYTES)
    return { faults: [{ line: 1, column: 1, path: '', message: `has more than ${MAX_MANIFEST_BYTES / 1024} KiB` }] };
  const file = new YamlFile(text);
  const fields = file.root?.fields(manifestFields(version, file.root.peek('name')));
  if (!fields || file.faults.length > 0) return { faults: file.faults.sort(byPlace) };
  return { manifest: withDefaults(fields as GivenFields) };
}

const byPlace = (a: ManifestFault, b: ManifestFault) => a.line - b.line || a.column - b.column;

type GivenFields = Pick<
  Manifest,
  'name' | 'version' | 'description' | 'entry_point' | 'default_entity_path' | 'event_types'
> &
  Partial<Pick<Manifest, 'author' | 'license' | 'min_amfs_version' | 'env_vars' | 'dependencies'>> & {
    webhook: Omit<Manifest['webhook'], 'signature_prefix' | 'max_payload_bytes'> & Partial<Manifest['webhook']>;
    config?: Partial<Manifest['config']>;
  };

const withDefaults = (given: GivenFields): Manifest => ({
  ...given,
  webhook: { signature_prefix: '', max_payload_bytes: DEFAULT_PAYLOAD_BYTES, ...given.webhook },
  env_vars: given.env_vars ?? [],
  dependencies: given.dependencies ?? [],
  config: { ...CONFIG_DEFAULTS, ...given.config },
});

/** A line for each fault, as compilers write them. */
export const faultLines = (faults: readonly ManifestFault[], file: string = MANIFEST_FILE): string[] =>
  faults.map(({ line, column, path, message }) => `${file}:${line}:${column}: ${path ? `${path} ` : ''}${message}`);

/** A manifest that cannot be used. */
export class ManifestError extends Error {
  override name = 'ManifestError';
  readonly faults: readonly ManifestFault[];

  constructor(faults: readonly ManifestFault[], file?: string) {
    super(faultLines(faults, file).join('\n'));
    this.faults = faults;
  }
}

export function requireManifest(text: string, file?: string): Manifest {
  const read = readManifest(text);
  if ('faults' in read) throw new ManifestError(read.faults, file);
  return read.manifest;
}
