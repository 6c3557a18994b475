import { type CliParts, runCli } from './cli/index.ts';
import { readConfig, readEnvironment } from './config.ts';

/** All commands of the program. A command loads the store and the server only if it needs them. */
export const programParts: CliParts = {
  readConfig,
  readEnvironment,
  readProcessStart: () => ({
    node: process.execPath,
    script: process.argv[1] ?? '',
    platform: process.platform,
    folder: process.cwd(),
  }),
  openApp: async (config) => (await import('./installed.ts')).openInstalledApp(config),
  serve: async (config) => (await import('./serve.ts')).serve(config),
  backupStore: async (config, options) => (await import('./backup.ts')).backupStore(config, options),
  restoreStore: async (config, options) => (await import('./backup.ts')).restoreStore(config, options),
  planPartitions: async (config, options) => (await import('./partition.ts')).planPartitions(config, options),
  partitionStore: async (config, options, onProgress) =>
    (await import('./partition.ts')).partitionStore(config, options, onProgress),
  inspectStore: async (config) => (await import('./inspect.ts')).inspectStore(config),
  inspectModels: async (config) => (await import('./inspect.ts')).inspectModels(config),
  openMemory: async (env, user) => (await import('@mem-service/mcp')).openMemory(env, user),
  connectorTools: () => import('./connector-tools.ts'),
  mcp: async (given) => (await import('@mem-service/mcp')).runMcp(given),
};

export const runProgram = (args: readonly string[]): Promise<number> => runCli(args, programParts);
