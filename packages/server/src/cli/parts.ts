import type { Memory } from '@mem-service/mcp';
import type { Config, Environment } from '../config.ts';
import type { StoreReport } from '../inspect.ts';
import type { Kernel } from '../kernel/index.ts';

/** How this process was started. */
export type ProcessStart = { node: string; script: string; platform: NodeJS.Platform; folder: string };

/** What the command line is given by the process, loaded only when a command needs it. */
export type CliParts = {
  readConfig: (env?: Environment) => Config;
  /** For what is no setting of the service: where other programs keep their files. */
  readEnvironment: () => Environment;
  readProcessStart: () => ProcessStart;
  /** Opens the local store, for commands that do not go to a server. */
  openApp: (config: Config) => Promise<{ kernel: Kernel; close(): Promise<void> }>;
  /** Looks at the local store without changing it. */
  inspectStore: (config: Config) => Promise<StoreReport>;
  /** The memory as an MCP client of this machine has it. */
  openMemory: (env: Environment, client?: string) => Promise<Memory>;
  serve: (config: Config) => Promise<number>;
  /** Serves an MCP client over standard input and output. */
  mcp: (args: readonly string[]) => Promise<number>;
};
