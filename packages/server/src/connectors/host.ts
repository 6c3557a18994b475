import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ConnectorVariables } from '../config-connectors.ts';
import { type BuiltIn, builtInManifest } from './built-in.ts';
import { factsOf, variablesOf } from './facts.ts';
import { loadInProcess } from './in-process.ts';
import { type ConnectorInThread, loadInThread } from './in-thread.ts';
import type { FoundConnector } from './installed-connectors.ts';
import { problemsAmong } from './problems-among.ts';
import type { ThreadLimits } from './thread-types.ts';
import type { ConnectorHost, LoadedConnector, Manifest } from './types.ts';

export type HostOptions = {
  /** Where connectors are installed. */
  folder: string;
  variables: ConnectorVariables;
  builtIns: readonly BuiltIn[];
  maxValueBytes?: number;
  threadLimits?: Partial<ThreadLimits>;
  onWarning?: (warning: string) => void;
};

/** Where connectors are installed. */
export const connectorsFolder = (dataDir: string): string => join(dataDir, 'connectors');

/** Loads the connectors of a service. One that cannot be used is left out with a warning. */
export async function openConnectors(options: HostOptions): Promise<ConnectorHost> {
  const { folder, variables, builtIns, onWarning = () => {} } = options;
  const limits = { max_value_bytes: options.maxValueBytes ?? 1024 * 1024 };
  const connectors = new Map<string, LoadedConnector>();
  const inThreads: ConnectorInThread[] = [];
  for (const builtIn of builtIns) {
    const manifest = await builtInManifest(builtIn);
    const made = new builtIn.connector({ variables: variablesOf(manifest, variables), config: manifest.config });
    connectors.set(manifest.name, loadInProcess(factsOf(manifest, variables), made, limits));
  }
  for (const found of usable(await foundIn(folder), connectors, onWarning)) {
    const { manifest, entry } = found;
    const loaded = loadInThread(factsOf(manifest, variables), {
      ...entry,
      name: manifest.name,
      options: { variables: variablesOf(manifest, variables), config: manifest.config },
      batch_size: manifest.config.batch_size,
      ...limits,
      ...(options.threadLimits ? { limits: options.threadLimits } : {}),
      onWarning,
    });
    connectors.set(manifest.name, loaded);
    inThreads.push(loaded);
  }
  return {
    connectors,
    close: async () => {
      await Promise.all(inThreads.map((one) => one.close()));
    },
  };
}

/** The parser of YAML is loaded only where a connector is installed. */
const foundIn = async (folder: string): Promise<FoundConnector[]> =>
  existsSync(folder) ? (await import('./installed-connectors.ts')).findInstalled(folder) : [];

type UsableConnector = Extract<FoundConnector, { manifest: Manifest }>;

function usable(
  found: readonly FoundConnector[],
  builtIn: ReadonlyMap<string, unknown>,
  onWarning: (warning: string) => void,
): UsableConnector[] {
  const names = [...builtIn.keys(), ...found.map(({ name }) => name)];
  return found.filter((one): one is UsableConnector => {
    const problems = 'problems' in one ? one.problems : problemsAmong(one.manifest, builtIn, names);
    for (const problem of problems) onWarning(`connector ${one.name} is not loaded: ${problem}`);
    return problems.length === 0;
  });
}
