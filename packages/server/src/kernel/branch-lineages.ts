import { Fault } from '@mem-service/contract';
import type { HookContext, Hooks } from './hooks.ts';
import type { JobResult } from './idempotency.ts';
import type { QueuedWrite } from './lanes.ts';
import { branchOf, type Lineage, MAIN_BRANCH } from './view.ts';
import type { Work } from './work.ts';

/** Continues synchronously when the value is not a promise. */
export function andThen<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

export type LineageHook = NonNullable<Hooks['lineage']>;

/** Returns the lineage of the first module that has the branch. */
export function resolveLineage(
  hooks: readonly LineageHook[],
  branch: string,
  context: HookContext,
): Lineage | Promise<Lineage> {
  const [hook, ...rest] = hooks;
  if (!hook) throw noBranch(branch);
  return andThen(hook(branch, context), (lineage) => {
    if (lineage?.length === 0) throw noBranch(branch);
    return lineage ?? resolveLineage(rest, branch, context);
  });
}

const noBranch = (branch: string): Fault =>
  new Fault('branch_not_found', `there is no branch ${JSON.stringify(branch)}`, { branch });

type LineageInWork = NonNullable<Hooks['lineageInWork']>;

const isOnMain = ({ lineage }: QueuedWrite): boolean => lineage === undefined || branchOf({ lineage }) === MAIN_BRANCH;

/**
 * Gives each write the lineage that its branch has now that the account is locked: since it was admitted, its branch may have
 * been closed, or its fork moved. Returns the writes that may run.
 */
async function renewLineages(
  work: Work,
  jobs: readonly QueuedWrite[],
  { hooks, finish }: { hooks: readonly LineageInWork[]; finish: (job: QueuedWrite, result: JobResult) => void },
): Promise<readonly QueuedWrite[]> {
  if (hooks.length === 0 || jobs.every(isOnMain)) return jobs;
  await work.locked;
  const found = new Map<string, Lineage | Fault | undefined>();
  const left: QueuedWrite[] = [];
  for (const job of jobs) {
    const branch = branchOf({ lineage: job.lineage ?? [] });
    if (branch !== MAIN_BRANCH && !found.has(branch)) found.set(branch, await ask(hooks, branch, work));
    const lineage = found.get(branch);
    if (lineage instanceof Fault) finish(job, { error: lineage });
    else left.push(lineage === undefined ? job : Object.assign(job, { lineage }));
  }
  return left;
}

/** The same with the hooks of all modules. */
export function renewWith(all: readonly Hooks[]) {
  const hooks = all.flatMap(({ lineageInWork }) => lineageInWork ?? []);
  return (work: Work, jobs: readonly QueuedWrite[], finish: (job: QueuedWrite, result: JobResult) => void) =>
    renewLineages(work, jobs, { hooks, finish });
}

async function ask(hooks: readonly LineageInWork[], branch: string, work: Work): Promise<Lineage | Fault | undefined> {
  try {
    for (const hook of hooks) {
      const lineage = await hook(branch, work);
      if (lineage !== undefined) return lineage;
    }
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}
