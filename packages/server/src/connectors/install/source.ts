import { cpSync, existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Environment } from '../../config.ts';
import { InstallError, LEFT_OUT, PACKAGE_LIMITS } from './limits.ts';
import { fetchPackage } from './npm.ts';
import { unpack } from './tarball.ts';

export const PACKAGE_PREFIX = 'amfs-connector-';

/** What `install` was given: a folder, a tarball, or the name of a package. */
export type PackageSource =
  | { kind: 'folder'; path: string }
  | { kind: 'tarball'; path: string }
  | { kind: 'registry'; spec: string };

const NAME = /^(?:(@[a-z0-9][a-z0-9._~-]*\/)?amfs-connector-)?([a-z0-9]+(?:-[a-z0-9]+)*)(@[0-9A-Za-z^~<>=.*+-]+)?$/;

/** A path has a slash or a known ending; all else is a name. `cwd` is where relative paths begin. */
export function sourceOf(given: string, cwd: string): PackageSource {
  const isPath = /^\.{0,2}[/\\]|^\.{1,2}$|^[A-Za-z]:[/\\]/.test(given) || /\.(tgz|tar\.gz)$/.test(given);
  const path = resolve(cwd, given);
  if (isPath && !existsSync(path)) throw new InstallError(`there is no ${given}`);
  if (isPath) return { kind: statSync(path).isDirectory() ? 'folder' : 'tarball', path };
  const [, scope = '', name, version = ''] = NAME.exec(given) ?? [];
  if (name === undefined)
    throw new InstallError(`${JSON.stringify(given)} is neither a name, nor a path such as ./${given}, nor a tarball`);
  return { kind: 'registry', spec: `${scope}${PACKAGE_PREFIX}${name}${version}` };
}

/** Brings the files of a package into an empty folder. `spare` is another, for what is needed on the way. */
export async function bringFiles(
  source: PackageSource,
  folder: string,
  { spare, env }: { spare: string; env: Environment },
): Promise<void> {
  if (source.kind === 'folder') return copyFolder(source.path, folder);
  const file = source.kind === 'registry' ? await fetchPackage(source.spec, spare, env) : source.path;
  unpack(readTarball(file), folder);
}

function readTarball(file: string): Buffer {
  if (statSync(file).size > PACKAGE_LIMITS.tarball_bytes)
    throw new InstallError(`${basename(file)} has more than ${PACKAGE_LIMITS.tarball_bytes / 1024 ** 2} MiB`);
  return readFileSync(file);
}

/** All but what npm would leave out of a package too. */
function copyFolder(from: string, to: string): void {
  let [files, bytes] = [0, 0];
  const check = (folder: string): void => {
    for (const name of readdirSync(folder)) {
      if (LEFT_OUT.has(name)) continue;
      const path = join(folder, name);
      const stat = lstatSync(path);
      if (stat.isDirectory()) check(path);
      else if (!stat.isFile()) throw new InstallError(`${path} is no plain file`);
      else {
        files++;
        bytes += stat.size;
      }
      if (files > PACKAGE_LIMITS.files) throw new InstallError(`${from} has more than ${PACKAGE_LIMITS.files} files`);
      if (bytes > PACKAGE_LIMITS.bytes)
        throw new InstallError(`${from} has more than ${PACKAGE_LIMITS.bytes / 1024 ** 2} MiB`);
    }
  };
  check(from);
  cpSync(from, to, { recursive: true, filter: (path) => path === from || !LEFT_OUT.has(basename(path)) });
}
