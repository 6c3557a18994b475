import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export const root = join(import.meta.dirname, '..', '..');
export const packageNames = ['contract', 'sdk', 'embedder', 'mcp', 'server', 'pro', 'cli'] as const;
export type PackageName = (typeof packageNames)[number];

export type PackageManifest = {
  name: string;
  version: string;
  engines: Record<string, string>;
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
};
export const manifestOf = (name: PackageName): PackageManifest =>
  JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));

export type PackedFile = { path: string; size: number };
export type Tarball = { file: string; size: number; files: PackedFile[] };

/** A machine on which nothing was ever installed: no cache, no settings, no network. */
export type EmptyMachine = { folder: string; env: Record<string, string> };

export function newMachine(): EmptyMachine {
  const folder = mkdtempSync(join(tmpdir(), 'mem-packages-'));
  const home = join(folder, 'home');
  mkdirSync(home);
  const settings = { npm_config_cache: join(folder, 'cache'), npm_config_update_notifier: 'false' };
  return { folder, env: { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: tmpdir(), ...settings } };
}

export type CommandResult = { code: number; out: string; err: string };

export async function runCommand(
  [command = '', ...args]: readonly string[],
  options: { env: Record<string, string>; cwd: string },
): Promise<CommandResult> {
  try {
    const { stdout, stderr } = await run(command, args, options);
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}

/** What `npm pack` makes of all packages, and of zod, the only dependency that any of them has. */
export async function packAll({ folder, env }: EmptyMachine): Promise<Record<PackageName | 'zod', Tarball>> {
  const scripts = process.env.TESTS_BUILT ? ['types'] : ['build', 'types'];
  for (const script of scripts) await run(process.execPath, [join(root, 'scripts', `${script}.mjs`)]);
  const from = (name: string) => (name === 'zod' ? join(root, 'node_modules', 'zod') : join(root, 'packages', name));
  const names = [...packageNames, 'zod'] as const;
  // The scripts of all would build everything again for each.
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder, ...names.map(from)];
  const { stdout } = await run('npm', args, { env, cwd: folder, maxBuffer: 64 * 1024 * 1024 });
  const packed = JSON.parse(stdout) as { name: string; filename: string; size: number; files: PackedFile[] }[];
  const tarballOf = (name: string): Tarball => {
    const found = packed.find((one) => one.name === (name === 'zod' ? name : `@mem-service/${name}`));
    if (!found) throw new Error(`npm packed no ${name}`);
    return { file: join(folder, found.filename), size: found.size, files: found.files };
  };
  return Object.fromEntries(names.map((name) => [name, tarballOf(name)])) as Record<PackageName | 'zod', Tarball>;
}

export type InstallResult = CommandResult & { at: string };

/** Installs tarballs into an empty folder, and nothing that is not among them. */
export async function install(
  { folder, env }: EmptyMachine,
  name: string,
  { tarballs, flags = [] }: { tarballs: readonly Tarball[]; flags?: readonly string[] },
): Promise<InstallResult> {
  const at = join(folder, name);
  if (!existsSync(at)) mkdirSync(at);
  const strict = ['--offline', '--engine-strict', '--no-audit', '--no-fund'];
  const files = tarballs.map(({ file }) => file);
  const result = await runCommand(['npm', 'install', ...strict, ...flags, ...files], { env, cwd: at });
  return { ...result, at };
}
