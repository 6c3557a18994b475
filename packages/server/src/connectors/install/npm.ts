import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Environment } from '../../config.ts';
import { InstallError } from './limits.ts';

const run = promisify(execFile);
const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
const NPM_MS = 300_000;

const PASSED = new Set(
  'PATH HOME USER TMPDIR TEMP TMP LANG HTTP_PROXY HTTPS_PROXY NO_PROXY NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR'
    .concat(' SYSTEMROOT COMSPEC PATHEXT WINDIR APPDATA LOCALAPPDATA USERPROFILE PROGRAMFILES')
    .split(' '),
);

/** What npm needs. The rest of the environment is no business of a package. */
const forNpm = (env: Environment): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => PASSED.has(name.toUpperCase()) || /^npm_config_/i.test(name)),
  );

async function npm(args: readonly string[], folder: string, env: Environment): Promise<void> {
  try {
    const isWindows = process.platform === 'win32';
    await run('npm', [...args, ...QUIET], { cwd: folder, env: forNpm(env), timeout: NPM_MS, shell: isWindows });
  } catch (error) {
    const { code, stderr = '' } = error as NodeJS.ErrnoException & { stderr?: string };
    if (code === 'ENOENT') throw new InstallError('npm is needed for this, and there is none on this machine');
    throw new InstallError(`npm ${args[0]} failed: ${stderr.trim().split('\n').slice(0, 5).join('; ')}`);
  }
}

/** Fetches the tarball of a package of the registry into a folder. Returns its file. */
export async function fetchPackage(spec: string, folder: string, env: Environment): Promise<string> {
  await npm(['pack', spec, '--pack-destination', folder], folder, env);
  const file = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (file === undefined) throw new InstallError(`npm fetched no package for ${spec}`);
  return join(folder, file);
}

/** Installs what the package in this folder depends on, into the same folder, and these packages beside. */
export const installDependencies = (folder: string, more: readonly string[], env: Environment): Promise<void> =>
  npm(['install', ...more, '--omit=dev', '--workspaces=false', '--prefix', folder], folder, env);
