import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../types.ts';
import { InstallError } from './limits.ts';
import { PACKAGE_PREFIX, type PackageSource } from './source.ts';

/** The registration group of connectors, as a member of package.json. */
const GROUP = 'amfs.connectors';

export type PackageFile = { name?: unknown; dependencies?: Record<string, string>; [member: string]: unknown };

export function readPackageFile(folder: string): PackageFile | undefined {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return undefined;
  try {
    const read = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read;
  } catch {
    // The same as any other text.
  }
  throw new InstallError('package.json is not a JSON object');
}

/** A package registers what connector.yaml says: a name, and where its class is. */
export function checkRegistration(file: PackageFile | undefined, manifest: Manifest, source: PackageSource): void {
  const group = file?.[GROUP] as Record<string, unknown> | undefined;
  const { name, entry_point } = manifest;
  if (group === undefined) {
    if (source.kind !== 'registry') return;
    throw new InstallError(`package.json registers no connector: "${GROUP}": {"${name}": "${entry_point}"} is missing`);
  }
  if (group?.[name] !== entry_point)
    throw new InstallError(
      `package.json and connector.yaml disagree: "${GROUP}" must be {"${name}": "${entry_point}"}`,
    );
  const [, own] = String(file?.name ?? '').match(/^(?:@[^/]+\/)?(.*)$/) ?? [];
  if (source.kind === 'registry' && own !== PACKAGE_PREFIX + name)
    throw new InstallError(
      `the package ${own} holds the connector ${name}: it would have to be called ${PACKAGE_PREFIX}${name}`,
    );
}
