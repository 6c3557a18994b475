import { account } from './account.ts';
import { addDocument } from './add-document.ts';
import { backup } from './backup.ts';
import { branch } from './branch.ts';
import { cherryPick } from './cherry-pick.ts';
import type { OwnCommand } from './command.ts';
import { connector } from './connector.ts';
import { diff } from './diff.ts';
import { doctor } from './doctor.ts';
import { exportCommand } from './export.ts';
import { exportTraining } from './export-training.ts';
import { hook } from './hook.ts';
import { importCommand } from './import.ts';
import { init } from './init.ts';
import { investigate } from './investigate.ts';
import { log } from './log.ts';
import { mcp } from './mcp.ts';
import { merge } from './merge.ts';
import { postgres } from './postgres.ts';
import { pr } from './pr.ts';
import { restore } from './restore.ts';
import { rollback } from './rollback.ts';
import { serve } from './serve.ts';
import { status } from './status.ts';
import { switchCommand } from './switch.ts';
import { tag } from './tag.ts';

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
  exportTraining,
  investigate,
  importCommand,
  addDocument,
  backup,
  restore,
  connector,
  postgres,
  account,
  hook,
  branch,
  switchCommand,
  diff,
  merge,
  cherryPick,
  pr,
  tag,
  rollback,
] as const satisfies readonly OwnCommand[];

export const findOwnInTwoWords = (word: string, second: string | undefined): OwnCommand | undefined =>
  ownCommands.find(({ pair }: OwnCommand) => pair === `${word} ${second}`);

export const findOwn = (word: string) => ownCommands.find((command) => command.word === word);
