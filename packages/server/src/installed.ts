import { type App, type AppOptions, openApp } from './app.ts';
import type { Config } from './config.ts';
import type { Module } from './kernel/index.ts';

/** A variable, not a literal in the import, so that the server builds and type-checks without the package. */
const PRO: string = '@mem-service/pro';

/** Returns the modules of the optional package, or none when it is not installed. */
export async function installedModules({ pro }: Pick<Config, 'pro'>): Promise<readonly Module[]> {
  if (!pro) return [];
  try {
    return ((await import(PRO)) as { modules: readonly Module[] }).modules;
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/**
 * True when the package is not installed or not built. A package that lacks one of its own dependencies is broken: that
 * error is thrown.
 */
function isMissing(error: unknown): boolean {
  const { code, message, url = '' } = error as NodeJS.ErrnoException & { url?: string };
  return code === 'ERR_MODULE_NOT_FOUND' && (message.includes(`'${PRO}'`) || url.endsWith('/pro/dist/index.js'));
}

/** Opens the service as configured on this machine, with all installed modules. */
export async function openInstalledApp(config: Config, options: Partial<AppOptions> = {}): Promise<App> {
  return openApp({ ...config, modules: await installedModules(config), ...options });
}
