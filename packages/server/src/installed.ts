import { type App, type AppOptions, openApp } from './app.ts';
import type { Config } from './config.ts';
import type { Module } from './kernel/index.ts';

/** Not named in the import itself: the server is built and checked without it. */
const PRO: string = '@mem-service/pro';

/** The modules of the package that may be installed beside the server. */
export async function installedModules({ pro }: Pick<Config, 'pro'>): Promise<readonly Module[]> {
  if (!pro) return [];
  try {
    return ((await import(PRO)) as { modules: readonly Module[] }).modules;
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Not there, or not built. One that lacks a dependency of its own is broken, and says so. */
function isMissing(error: unknown): boolean {
  const { code, message, url = '' } = error as NodeJS.ErrnoException & { url?: string };
  return code === 'ERR_MODULE_NOT_FOUND' && (message.includes(`'${PRO}'`) || url.endsWith('/pro/dist/index.js'));
}

/** The service as it is set up on this machine, with all modules that are installed. */
export async function openInstalledApp(config: Config, options: Partial<AppOptions> = {}): Promise<App> {
  return openApp({ ...config, modules: await installedModules(config), ...options });
}
