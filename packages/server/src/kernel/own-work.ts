import type { TransactionKind } from '../db/index.ts';
import type { Committer } from './committer.ts';
import type { Kernel } from './module.ts';
import { unchanged, type WriteResult } from './result.ts';
import type { Work } from './work.ts';

type WorkKind = { exclusive?: boolean; transaction?: TransactionKind };

/** Work of the service itself, as the committer takes it. */
export const plainWork = (
  run: (work: Work) => Promise<WriteResult<unknown>>,
  { exclusive = false, transaction }: WorkKind = {},
) => ({ handler: { kind: 'write' as const, run, exclusive }, input: {}, transaction });

const worksThrough =
  (committer: Committer, kind?: WorkKind): Kernel['work'] =>
  (caller, action, run) =>
    committer.submit({ name: action, ...plainWork(run, kind), caller }) as Promise<never>;

export const worksOf = (committer: Committer): Pick<Kernel, 'work' | 'workExclusively' | 'longWork'> => ({
  work: worksThrough(committer),
  workExclusively: worksThrough(committer, { exclusive: true }),
  longWork: worksThrough(committer, { transaction: 'long' }),
});

/** The service's own bookkeeping gets no audit line. */
export const unauditedWork = (run: (work: Work) => Promise<unknown>) =>
  plainWork(async (work) => unchanged(await run(work)));
