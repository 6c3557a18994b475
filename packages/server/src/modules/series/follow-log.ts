import {
  ADMINS,
  type Consumer,
  holderOf,
  isOwnAct,
  type LogEvent,
  type MaintenanceTask,
  type Work,
} from '../../kernel/index.ts';
import { findOutcomesOfTypes } from '../ledger/index.ts';
import { FAILURE_TYPES } from '../outcomes/index.ts';
import { addEventCounts, deleteMinutesBefore } from './queries.ts';
import { countsOf, UNIT_MS } from './rules.ts';

/** Counts events by minute, hour and day. No write waits for it; what it has not counted yet is read from the log. */
export const countEvents: Consumer = {
  name: 'series.count_events',
  starts_at: 'the beginning',
  batch_size: 2_000,
  delay_seconds: 2,
  gives_way_seconds: 10,
  handle: (context, events) => context.work((work) => addCounts(work, events)),
};

async function addCounts(work: Work, events: readonly LogEvent[]): Promise<void> {
  const { tx, account_id, now } = work;
  // What admins did is in the audit trail alone.
  const counted = events.filter(({ visible_to }) => visible_to !== ADMINS);
  const failed = await failedAmong(work, counted);
  const held = counted.map((event) =>
    Object.assign({}, event, {
      held_by: holderOf(event),
      is_own: isOwnAct(event),
      is_failure: failed.has(event.seq),
    }),
  );
  const rows = countsOf(held, { minutes_since: oldestMinute(now) });
  if (rows.length === 0) return;
  await tx.insertMany(
    addEventCounts,
    rows.map((row) => Object.assign({ account_id }, row)),
  );
}

async function failedAmong({ tx, account_id, dialect }: Work, events: readonly LogEvent[]): Promise<Set<number>> {
  const seqs = events.filter(({ event_type }) => event_type === 'outcome').map(({ seq }) => seq);
  if (seqs.length === 0) return new Set();
  return findOutcomesOfTypes(tx, account_id, { seqs: dialect.numbers(seqs), types: FAILURE_TYPES });
}

const KEPT_DAYS = 8;

/** The last moment that is not counted by minute any more. */
export const oldestMinute = (now: number): number => now - KEPT_DAYS * UNIT_MS.day;

export const deleteOldMinutes: MaintenanceTask = {
  name: 'series.forget_minutes',
  async run({ services: { database, clock } }) {
    await database.maintenanceTransaction((tx) => deleteMinutesBefore(tx, oldestMinute(clock.now())));
  },
};
