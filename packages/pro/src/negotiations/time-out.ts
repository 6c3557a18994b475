import {
  type Caller,
  fromIso,
  isAccountGone,
  type Kernel,
  type MaintenanceTask,
  SELF_CALLER,
  unchanged,
} from '@mem-service/server/module';
import { type DueNegotiation, listDue, nextDueAt } from './queries.ts';
import { loadNegotiation } from './render.ts';
import { stateAt } from './rules/state.ts';
import { saveState } from './save.ts';

const AT_ONCE = 200;

/** Ends negotiations whose time is over. Reads show them as ended before. */
export const timeOut: MaintenanceTask = {
  name: 'negotiations.time_out',
  after: {
    event_types: ['negotiation_started'],
    at: ({ details }) => {
      const { deadline_at } = JSON.parse(details) as { deadline_at: string | null };
      return deadline_at === null ? undefined : fromIso(deadline_at);
    },
  },
  async run(kernel, isStopping) {
    const { database, clock } = kernel.services;
    for (const due of await listDue(database.scan, { now: clock.now(), limit: AT_ONCE })) {
      if (isStopping()) return;
      await endOne(kernel, due).catch((error) => {
        if (!isAccountGone(error)) throw error;
      });
    }
  },
  next: ({ services }) => nextDueAt(services.database.scan),
};

async function endOne(kernel: Kernel, { account_id, negotiation_id }: DueNegotiation): Promise<void> {
  const own: Caller = { ...SELF_CALLER, account_id };
  await kernel.work(own, 'negotiations.time_out', async (work) => {
    const { row, state } = await loadNegotiation(work.tx, account_id, negotiation_id);
    const late = stateAt(state, work.now);
    if (late.status === state.status || row.deadline_at === null) return unchanged({});
    const caller = { ...own, agent_id: row.agent_id };
    saveState(work, { row, state: late }, { caller, at: row.deadline_at, reason: 'the time is over' });
    return unchanged({});
  });
}
