import type { Memory, MemoryUser } from '@mem-service/mcp';
import type { BackupOptions, BackupReport } from '../backup.ts';
import type { Config, Environment } from '../config.ts';
import type { ModelProbe, StoreReport } from '../inspect.ts';
import type { Kernel } from '../kernel/index.ts';
import type { PartitionProgress, PartitionReport } from '../partition.ts';
import type { PartitionOptions, PartitionPlan } from '../partition-plan.ts';

/** How this process was started. */
export type ProcessStart = { node: string; script: string; platform: NodeJS.Platform; folder: string };

/** The parts of the process that the command line uses, loaded only when a command needs them. */
export type CliParts = {
  readConfig: (env?: Environment) => Config;
  /** For values that are not settings of the service, such as where other programs keep their files. */
  readEnvironment: () => Environment;
  readProcessStart: () => ProcessStart;
  /** Opens the local store, for commands without a server. */
  openApp: (config: Config) => Promise<{ kernel: Kernel; close(): Promise<void> }>;
  /** Copies the local store into a file while others use it, and checks the copy. */
  backupStore: (config: Config, options: BackupOptions) => Promise<BackupReport>;
  /** Puts such a file in place of the local store. */
  restoreStore: (config: Config, options: BackupOptions) => Promise<BackupReport>;
  /** Says how the tables of a store in PostgreSQL would be divided by account. */
  planPartitions: (config: Config, options: PartitionOptions) => Promise<PartitionPlan>;
  /** Divides them. */
  partitionStore: (
    config: Config,
    options: PartitionOptions,
    onProgress: PartitionProgress,
  ) => Promise<PartitionReport>;
  /** Inspects the local store without changing it. */
  inspectStore: (config: Config) => Promise<StoreReport>;
  inspectModels: (config: Config) => Promise<ModelProbe[]>;
  /** Opens the memory as an MCP client of this machine uses it. */
  openMemory: (env: Environment, user: MemoryUser) => Promise<Memory>;
  serve: (config: Config) => Promise<number>;
  /** Installs, writes and tests connectors. */
  connectorTools: () => Promise<typeof import('../connector-tools.ts')>;
  /** Serves an MCP client over standard input and output. */
  mcp: (args: readonly string[]) => Promise<number>;
};
