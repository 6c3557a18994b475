import { type App, type AppOptions, openApp } from './app.ts';
import type { Config } from './config.ts';
import type { Module } from './kernel/index.ts';

/**
 * Returns the modules of the optional package, or none when it is not installed. The command `mem` has them inside; the
 * package of the server looks for them beside itself.
 */
export async function installedModules({ pro }: Pick<Config, 'pro'>): Promise<readonly Module[]> {
  if (!pro) return [];
  try {
    return (await import('@mem-service/pro')).modules;
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
  return (
    code === 'ERR_MODULE_NOT_FOUND' && (message.includes(`'@mem-service/pro'`) || url.endsWith('/pro/dist/index.js'))
  );
}

/** Opens the service as configured on this machine, with all installed modules. */
export async function openInstalledApp(config: Config, options: Partial<AppOptions> = {}): Promise<App> {
  return openApp({ ...config, modules: await installedModules(config), ...options });
}
