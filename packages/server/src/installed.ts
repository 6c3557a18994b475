import { type App, type AppOptions, openApp } from './app.ts';
import type { Config } from './config.ts';
import { unreadVariables } from './config-connectors.ts';
import type { ConnectorHost } from './connectors/types.ts';
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

type ConnectorConfig = Pick<Config, 'dataDir' | 'connectorVariables' | 'maxValueBytes'>;

/** The built-in connectors, and those that were installed into the data folder before this process was started. */
export async function installedConnectors(
  { dataDir, connectorVariables: variables, maxValueBytes }: ConnectorConfig,
  onWarning: (warning: string) => void = () => {},
): Promise<ConnectorHost> {
  const { builtIns, connectorsFolder, openConnectors } = await import('./connectors/index.ts');
  const folder = connectorsFolder(dataDir);
  const host = await openConnectors({ folder, variables, builtIns, maxValueBytes, onWarning });
  const manifests = [...host.connectors.values()].map(({ manifest }) => manifest);
  const env_vars = manifests.flatMap((manifest) => manifest.env_vars.map(({ name }) => name));
  const unread = unreadVariables(variables, { names: manifests.map(({ name }) => name), env_vars });
  for (const warning of unread) onWarning(warning);
  return host;
}

/** Opens the service as configured on this machine, with all installed modules and connectors. */
export async function openInstalledApp(config: Config, options: Partial<AppOptions> = {}): Promise<App> {
  const [modules, connectors] = await Promise.all([
    installedModules(config),
    installedConnectors(config, options.onWarning),
  ]);
  return openApp({ ...config, modules, connectors, ...options });
}
