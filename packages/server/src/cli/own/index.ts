import { account } from './account.ts';
import { doctor } from './doctor.ts';
import { exportCommand } from './export.ts';
import { hook } from './hook.ts';
import { importCommand } from './import.ts';
import { init } from './init.ts';
import { log } from './log.ts';
import { mcp } from './mcp.ts';
import { serve } from './serve.ts';
import { status } from './status.ts';

export type { OwnCommand } from './command.ts';

/** Commands that are not operations, in the order in which a user needs them. */
export const ownCommands = [
  init,
  serve,
  mcp,
  status,
  doctor,
  log,
  exportCommand,
  importCommand,
  account,
  hook,
] as const;

export const findOwn = (word: string) => ownCommands.find((command) => command.word === word);
