import {
  type Caller,
  type Consumer,
  type ConsumerContext,
  changed,
  hashedBy,
  SELF_CALLER,
  unchanged,
} from '../../kernel/index.ts';
import { applyStep } from './advance.ts';
import * as queries from './queries.ts';
import { coverageOfRun, reportOf } from './runs.ts';
import { planStep } from './step.ts';

/** After so many failures a run ends, so that another can begin. */
const MAX_FAILURES = 5;

/** Goes on with the run of an account, step by step. After a crash another server goes on at the last step. */
export const continueRun: Consumer = {
  name: 'consolidation.continue',
  event_types: ['consolidation_started'],
  starts_at: 'now',
  handle: advanceRun,
};

async function advanceRun(context: ConsumerContext): Promise<void> {
  const { kernel, account_id } = context;
  const { read } = kernel.services.database.forAccount(account_id);
  for (;;) {
    const run = (await queries.listRuns(read, account_id)).find(({ status }) => status === 'running');
    if (!run || context.isStopping()) return;
    try {
      await advance(context, run);
    } catch (error) {
      if (await isGivenUp(context, run)) return;
      throw error;
    }
  }
}

const callerOf = ({ account_id, agent_id }: queries.RunRow): Caller => ({ ...SELF_CALLER, account_id, agent_id });

async function advance({ kernel }: ConsumerContext, run: queries.RunRow): Promise<void> {
  const { services } = kernel;
  const step = await planStep(services, { coverage: coverageOfRun(run), from: run, until: run });
  await kernel.work(callerOf(run), 'consolidation.run', async (work) => {
    const current = await queries.getRun(work.tx, run.account_id, run.coverage);
    if (current?.run_id !== run.run_id || current.status !== 'running') return unchanged(null);
    const advanced = await applyStep(work, current, step);
    if (advanced.demotions.length === 0 && advanced.run.run_proposed === current.run_proposed) return unchanged(null);
    return changed(null, { resource: run.entity_path, ...hashedBy(reportOf(advanced.run, services)) });
  });
}

async function isGivenUp({ kernel }: ConsumerContext, run: queries.RunRow): Promise<boolean> {
  const failures = run.failures + 1;
  const isOver = failures >= MAX_FAILURES;
  await kernel.work(callerOf(run), 'consolidation.run', async (work) => {
    const end = isOver ? { status: 'failed', finished_at: work.now } : {};
    work.send(work.tx.insertMany(queries.upsertRun, [{ ...run, failures, ...end }]));
    return unchanged(null);
  });
  return isOver;
}
