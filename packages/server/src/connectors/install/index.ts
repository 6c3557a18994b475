import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../config.ts';
import { ConnectorThread } from '../connector-thread.ts';
import { findInstalled, readConnector } from '../installed-connectors.ts';
import { problemsAmong } from '../problems-among.ts';
import { type EntryPoint, PATIENT_LIMITS } from '../thread-types.ts';
import type { Manifest } from '../types.ts';
import { InstallError } from './limits.ts';
import { installDependencies } from './npm.ts';
import { checkRegistration, readPackageFile } from './registration.ts';
import { bringFiles, sourceOf } from './source.ts';

export { InstallError } from './limits.ts';

export type InstallPlace = {
  /** Where connectors are installed. */
  folder: string;
  builtIn: ReadonlySet<string>;
  env: Environment;
  cwd: string;
};

export type InstalledConnector = { manifest: Manifest; folder: string; replaced: string | undefined };

/**
 * Installs a connector from a folder, a tarball or the registry. Its module is loaded once, on a
 * thread; no script of the package is run. It gets its name when it is complete, so that a service never sees a part of one.
 */
export async function installConnector(given: string, place: InstallPlace): Promise<InstalledConnector> {
  const source = sourceOf(given, place.cwd);
  // A name with a dot is no connector.
  const part = join(place.folder, `.${randomUUID()}`);
  const staged = join(part, 'package');
  const spare = join(part, 'spare');
  for (const folder of [staged, spare]) mkdirSync(folder, { recursive: true });
  try {
    await bringFiles(source, staged, { spare, env: place.env });
    const found = readConnector(staged);
    if ('problems' in found) throw new InstallError(found.problems.join('\n'));
    const { manifest } = found;
    const names = [...place.builtIn, ...findInstalled(place.folder).map(({ name }) => name)];
    const [problem] = problemsAmong(manifest, place.builtIn, names);
    if (problem !== undefined) throw new InstallError(problem);
    const file = readPackageFile(staged);
    checkRegistration(file, manifest, source);
    const needed = [...Object.keys(file?.dependencies ?? {}), ...manifest.dependencies];
    if (needed.length > 0) {
      // Without a file here, npm would look for one in the folders above.
      if (!file) writeFileSync(join(staged, 'package.json'), '{ "private": true }\n');
      await installDependencies(staged, manifest.dependencies, place.env);
    }
    await checkModule(found.entry, manifest);
    const replaced = putInPlace(staged, join(place.folder, manifest.name), join(part, 'before'));
    return { manifest, folder: join(place.folder, manifest.name), replaced };
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

async function checkModule(entry: EntryPoint, { name, config }: Manifest): Promise<void> {
  const thread = new ConnectorThread({
    ...entry,
    name,
    options: { variables: {}, config },
    batch_size: 1,
    max_value_bytes: 0,
    is_check: true,
    limits: PATIENT_LIMITS,
    onWarning: () => {},
  });
  const found = await thread.methods();
  await thread.close();
  if (typeof found === 'string') throw new InstallError(`the module of ${name} does not load: ${found}`);
}

/** Returns the version that was there before. */
function putInPlace(staged: string, target: string, before: string): string | undefined {
  if (!existsSync(target)) {
    renameSync(staged, target);
    return undefined;
  }
  const old = readConnector(target);
  renameSync(target, before);
  renameSync(staged, target);
  return 'manifest' in old ? old.manifest.version : 'unknown';
}

/** Whether there was such a connector. */
export function removeConnector(name: string, folder: string): boolean {
  const target = join(folder, name);
  if (!findInstalled(folder).some((one) => one.name === name)) return false;
  const part = join(folder, `.${randomUUID()}`);
  renameSync(target, part);
  rmSync(part, { recursive: true, force: true });
  return true;
}
