import type { Config } from '../config.ts';
import type { Kernel } from '../kernel/index.ts';

export type CliParts = {
  readConfig: () => Config;
  /** Opens the local store, for commands that do not go to a server. */
  openApp: (config: Config) => Promise<{ kernel: Kernel; close(): Promise<void> }>;
  serve: (config: Config) => Promise<number>;
};

export async function runCli(args: string[], parts: CliParts): Promise<number> {
  const [command] = args;
  if (command === 'serve') return parts.serve(parts.readConfig());
  process.stderr.write('usage: mem serve\n');
  return 2;
}
